package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Geometric is the distribution of the number of failures before the first success.
// Follows torch.distributions.Geometric.
type Geometric struct {
	base
	odds odds
}

// NewGeometric returns the geometric distribution with probability of success [Probs] or
// log odds [Logits], a tensor or a number. See [NewNormal] for ownership and panics.
// NewGeometric also panics with ErrValue unless exactly one of the two is given; a
// probability must be in (0, 1].
func NewGeometric(opts ...ProbsOption) *Geometric {
	const op = "distributions.NewGeometric"
	d := &Geometric{}
	s := readProbsOptions(op, opts)
	build(d, "Geometric", s, func(b *base) {
		name, v := s.exactlyOne(op)
		d.odds.set(b, binary, name, b.broadcast([]string{name}, v)[0])
		b.batch = d.odds.shape()
	})
	return d
}

func (d *Geometric) parameters() []parameter {
	list := d.odds.list(constraints.UnitInterval, constraints.Real)
	if !d.odds.byLogits {
		list = append(list,
			parameter{name: "probs", value: d.odds.given, constraint: constraints.Positive, hidden: true})
	}
	return list
}

// Probs returns the probability of success.
func (d *Geometric) Probs() *torch.Tensor { opened(d, "Probs"); return d.odds.probs() }

// Logits returns the log odds of success.
func (d *Geometric) Logits() *torch.Tensor { opened(d, "Logits"); return d.odds.logits() }

// Support returns the non-negative integers.
func (d *Geometric) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.NonNegativeInteger
}

// failures returns 1/p - 1, the expected number of failures.
func (d *Geometric) failures() *torch.Tensor { return d.odds.probs().Reciprocal().SubScalar(1) }

// Mean returns 1/p - 1.
func (d *Geometric) Mean() *torch.Tensor { return compute(d, "Mean", d.failures) }

// Mode returns 0.
func (d *Geometric) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return torch.ZerosLike(d.odds.probs()) })
}

// Variance returns (1/p - 1) / p.
func (d *Geometric) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.failures().Div(d.odds.probs()) })
}

// Sample draws samples without gradients; see [Distribution].
func (d *Geometric) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor {
		p := d.odds.probs()
		u := p.NewEmpty(shape).Uniform_(torch.Finfo(p.DType()).Tiny, 1)
		return u.Log().Div(p.Neg().Log1p()).Floor()
	})
}

// LogProb returns the log probability of value; see [Distribution].
func (d *Geometric) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		ts := torch.BroadcastTensors(value, d.odds.probs())
		value, p := ts[0], ts[1]
		certain := p.EqScalar(1).LogicalAnd(value.EqScalar(0))
		return value.Mul(p.MaskedFill(certain, 0).Neg().Log1p()).Add(d.odds.probs().Log())
	})
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Geometric) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		return crossEntropy(d.odds.logits(), d.odds.probs()).Div(d.odds.probs())
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Geometric) Expand(batchShape torch.Shape) Distribution {
	n := &Geometric{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.odds.grow(b, &d.odds, grow) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Geometric) Close() error { return closeAll(d) }
