package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A NegativeBinomial is the distribution of the number of successes before a given number
// of failures. Follows torch.distributions.NegativeBinomial.
type NegativeBinomial struct {
	base
	totalCount *torch.Tensor
	odds       odds
}

// NewNegativeBinomial returns the negative binomial distribution with totalCount failures
// and probability of success [Probs] or log odds [Logits]. Each is a tensor or a number;
// they broadcast. See [NewNormal] for ownership and panics. NewNegativeBinomial also
// panics with ErrValue unless exactly one of the two options is given; totalCount must
// not be negative, and a probability must be in [0, 1).
func NewNegativeBinomial(totalCount any, opts ...ProbsOption) *NegativeBinomial {
	d := &NegativeBinomial{}
	s := readProbsOptions("distributions.NewNegativeBinomial", opts)
	build(d, "NegativeBinomial", s, func(b *base) {
		d.totalCount = d.odds.counted(b, &s, totalCount)
		b.batch = d.odds.shape()
	})
	return d
}

func (d *NegativeBinomial) parameters() []parameter {
	count := parameter{name: "total_count", value: d.totalCount, constraint: constraints.GreaterThanEq(0)}
	return append([]parameter{count}, d.odds.list(constraints.HalfOpenInterval(0.0, 1.0), constraints.Real)...)
}

// TotalCount returns the number of failures that end the trials, in the dtype of the
// probabilities. total_count in Python.
func (d *NegativeBinomial) TotalCount() *torch.Tensor { opened(d, "TotalCount"); return d.totalCount }

// Probs returns the probability of success.
func (d *NegativeBinomial) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log odds of success.
func (d *NegativeBinomial) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *NegativeBinomial) ParamShape() torch.Shape { opened(d, "ParamShape"); return d.odds.shape() }

// Support returns the non-negative integers.
func (d *NegativeBinomial) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.NonNegativeInteger
}

func (d *NegativeBinomial) expected() *torch.Tensor { return d.totalCount.Mul(d.odds.logits().Exp()) }

// Mean returns the total count times the odds.
func (d *NegativeBinomial) Mean() *torch.Tensor { return compute(d, "Mean", d.expected) }

// Mode returns the integer part of (total count - 1) times the odds, but at least 0.
func (d *NegativeBinomial) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		return d.totalCount.SubScalar(1).Mul(d.odds.logits().Exp()).Floor().Clamp(0, nil)
	})
}

// Variance returns the mean divided by the probability of failure.
func (d *NegativeBinomial) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.expected().Div(d.odds.logits().Neg().Sigmoid()) })
}

// Sample draws a rate from a gamma distribution, and then a number from the Poisson
// distribution with that rate; see [Distribution].
func (d *NegativeBinomial) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor {
		return drawGamma(d.totalCount, d.odds.logits().Neg().Exp(), shape).Poisson()
	})
}

// LogProb returns the log probability of value; see [Distribution].
func (d *NegativeBinomial) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		n, logits := d.totalCount, d.odds.logits()
		all := n.Add(value)
		unnormalized := n.Mul(logits.Neg().LogSigmoid()).Add(value.Mul(logits.LogSigmoid()))
		norm := all.Lgamma().Neg().Add(value.AddScalar(1).Lgamma()).Add(n.Lgamma())
		// If there are neither failures nor successes, the probability is 1, but lgamma(0) is infinite.
		return unnormalized.Sub(norm.MaskedFill(all.EqScalar(0), 0))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *NegativeBinomial) Expand(batchShape torch.Shape) Distribution {
	n := &NegativeBinomial{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.totalCount = grow(d.totalCount)
		n.odds.grow(b, &d.odds, grow)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *NegativeBinomial) Close() error { return closeAll(d) }
