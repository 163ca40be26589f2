package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Binomial is the distribution of the number of successes in a fixed number of trials.
// Follows torch.distributions.Binomial.
type Binomial struct {
	base
	totalCount *torch.Tensor
	odds       odds
}

// NewBinomial returns the binomial distribution of totalCount trials with probability of
// success [Probs] or log odds [Logits]. Each is a tensor or a number; they broadcast.
// totalCount has no default; Python's is 1. See [NewNormal] for ownership and panics.
// NewBinomial also panics with ErrValue unless exactly one of the two options is given;
// totalCount must be a non-negative integer, and a probability must be in [0, 1].
func NewBinomial(totalCount any, opts ...ProbsOption) *Binomial {
	d := &Binomial{}
	s := readProbsOptions("distributions.NewBinomial", opts)
	build(d, "Binomial", s, func(b *base) {
		d.totalCount = d.odds.counted(b, &s, totalCount)
		b.batch, b.enumerates = d.odds.shape(), true
	})
	return d
}

// counted sets the odds of a distribution with a total count. It returns the total count
// in the dtype of the parameter.
func (o *odds) counted(b *base, s *settings, totalCount any) *torch.Tensor {
	name, v := s.exactlyOne(b.constructor())
	ts := b.broadcast([]string{"total_count", name}, totalCount, v)
	o.set(b, binary, name, ts[1])
	if ts[0].DType() == ts[1].DType() && ts[0].Device() == ts[1].Device() {
		return ts[0]
	}
	return b.keep(ts[0].TypeAs(ts[1]))
}

func (d *Binomial) parameters() []parameter {
	count := parameter{name: "total_count", value: d.totalCount, constraint: constraints.NonNegativeInteger}
	return append([]parameter{count}, d.odds.list(constraints.UnitInterval, constraints.Real)...)
}

// TotalCount returns the number of trials, in the dtype of the probabilities. total_count
// in Python.
func (d *Binomial) TotalCount() *torch.Tensor { opened(d, "TotalCount"); return d.totalCount }

// Probs returns the probability of success.
func (d *Binomial) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log odds of success.
func (d *Binomial) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *Binomial) ParamShape() torch.Shape { opened(d, "ParamShape"); return d.odds.shape() }

// Support returns the integers from 0 to the total count. The result refers to the tensor
// of the total count.
func (d *Binomial) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.IntegerInterval(0, d.totalCount)
}

// Mean returns n p, for n trials with probability of success p.
func (d *Binomial) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.totalCount.Mul(d.odds.probs()) })
}

// Mode returns the integer part of (n + 1) p, at most n.
func (d *Binomial) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		return d.totalCount.AddScalar(1).Mul(d.odds.probs()).Floor().ClampTensor(nil, d.totalCount)
	})
}

// Variance returns n p (1 - p).
func (d *Binomial) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		return d.totalCount.Mul(d.odds.probs()).Mul(d.odds.probs().RSubScalar(1))
	})
}

// Sample draws samples without gradients; see [Distribution].
func (d *Binomial) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor {
		return torch.Binomial(d.totalCount.Expand(shape...), d.odds.probs().Expand(shape...))
	})
}

// LogProb returns the log probability of value; see [Distribution].
func (d *Binomial) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor { return d.logProb(value) })
}

// logProb returns k logit - n max(logit, 0) - n log(1 + e^-|logit|), which does not
// overflow, plus the logarithm of the binomial coefficient.
func (d *Binomial) logProb(value *torch.Tensor) *torch.Tensor {
	n, logits := d.totalCount, d.odds.logits()
	// max(logit, 0), with the gradient 1/2 at 0.
	positive := logits.Clamp(0, nil).Add(logits).Sub(logits.Clamp(nil, 0)).DivScalar(2)
	rest := n.Mul(positive).Add(n.Mul(logits.Abs().Neg().Exp().Log1p())).Sub(n.AddScalar(1).Lgamma())
	return value.Mul(logits).Sub(value.AddScalar(1).Lgamma()).Sub(n.Sub(value).AddScalar(1).Lgamma()).Sub(rest)
}

// Entropy returns the entropy of each distribution in the batch. Like EnumerateSupport,
// it panics with ErrNotImplemented unless all total counts of the batch are equal.
func (d *Binomial) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		values := d.values("Entropy")
		shape := append(values.Shape(), ones(len(d.batch))...)
		log := d.logProb(values.Reshape(shape...))
		return log.Exp().Mul(log).Sum(torch.Dim(0)).Neg()
	})
}

// EnumerateSupport returns the numbers from 0 to the total count; see [Distribution]. It
// panics with ErrNotImplemented unless all total counts of the batch are equal.
func (d *Binomial) EnumerateSupport(opts ...EnumerateOption) *torch.Tensor {
	return enumerate(d, opts, func() *torch.Tensor { return d.values("EnumerateSupport") })
}

// values returns the numbers from 0 to the total count.
func (d *Binomial) values(method string) *torch.Tensor {
	most := d.totalCount.Max().Item()
	if d.totalCount.Min().Item() != most {
		panic(&torch.Error{
			Op: d.op(method), Kind: torch.ErrNotImplemented,
			Message: "the total counts of the batch must be equal, as in PyTorch",
		})
	}
	return upTo(1+int64(most), d.odds.given)
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Binomial) Expand(batchShape torch.Shape) Distribution {
	n := &Binomial{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.totalCount = grow(d.totalCount)
		n.odds.grow(b, &d.odds, grow)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Binomial) Close() error { return closeAll(d) }
