package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Bernoulli is the distribution of a variable that is 1 with probability p and 0
// otherwise. Follows torch.distributions.Bernoulli.
type Bernoulli struct {
	base
	odds odds
}

// NewBernoulli returns the Bernoulli distribution with probability [Probs] or log odds
// [Logits], a tensor or a number. See [NewNormal] for ownership and panics. NewBernoulli
// also panics with ErrValue unless exactly one of the two is given; a probability must be
// in [0, 1].
func NewBernoulli(opts ...ProbsOption) *Bernoulli {
	const op = "distributions.NewBernoulli"
	d := &Bernoulli{}
	s := readProbsOptions(op, opts)
	build(d, "Bernoulli", s, func(b *base) {
		name, v := s.exactlyOne(op)
		d.odds.set(b, binary, name, b.broadcast([]string{name}, v)[0])
		b.batch, b.enumerates = d.odds.shape(), true
	})
	return d
}

func (d *Bernoulli) parameters() []parameter {
	return d.odds.list(constraints.UnitInterval, constraints.Real)
}

// Probs returns the probability of 1.
func (d *Bernoulli) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log odds of 1.
func (d *Bernoulli) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// ParamShape returns the shape of the parameter. param_shape in Python.
func (d *Bernoulli) ParamShape() torch.Shape { opened(d, "ParamShape"); return d.odds.shape() }

// Support returns the set of 0 and 1.
func (d *Bernoulli) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Boolean
}

// Mean returns the probability of 1.
func (d *Bernoulli) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.odds.probs()) })
}

// Mode returns the more likely value, or NaN if both are equally likely.
func (d *Bernoulli) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		p := d.odds.probs()
		return p.GeScalar(0.5).TypeAs(p).MaskedFill(p.EqScalar(0.5), math.NaN())
	})
}

// Variance returns p (1 - p).
func (d *Bernoulli) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.odds.probs().Mul(d.odds.probs().RSubScalar(1)) })
}

// Sample draws samples without gradients; see [Distribution].
func (d *Bernoulli) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.odds.probs().Expand(shape...).Bernoulli()
	})
}

// LogProb returns the log probability of value; see [Distribution].
func (d *Bernoulli) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor { return crossEntropy(d.odds.logits(), value).Neg() })
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Bernoulli) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return crossEntropy(d.odds.logits(), d.odds.probs()) })
}

// EnumerateSupport returns 0 and 1; see [Distribution].
func (d *Bernoulli) EnumerateSupport(opts ...EnumerateOption) *torch.Tensor {
	return enumerate(d, opts, func() *torch.Tensor { return upTo(2, d.odds.given) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Bernoulli) Expand(batchShape torch.Shape) Distribution {
	n := &Bernoulli{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.odds.grow(b, &d.odds, grow) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Bernoulli) Close() error { return closeAll(d) }
