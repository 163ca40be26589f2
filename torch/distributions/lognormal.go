package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A LogNormal is the distribution of exp(x), where x has a normal distribution. Follows
// torch.distributions.LogNormal.
type LogNormal struct {
	TransformedDistribution
	loc, scale *torch.Tensor
}

// NewLogNormal returns the log-normal distribution; loc and scale are the mean and
// standard deviation of the logarithm. See [NewNormal] for ownership and panics.
func NewLogNormal(loc, scale any, opts ...Option) *LogNormal {
	d := &LogNormal{}
	s := readOptions("distributions.NewLogNormal", opts)
	build(d, "LogNormal", s, func(b *base) {
		ts := b.broadcast([]string{"loc", "scale"}, loc, scale)
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *LogNormal) fill(b *base, validate bool, loc, scale *torch.Tensor) {
	d.loc, d.scale = loc, scale
	n := NewNormal(loc, scale, ValidateArgs(false))
	b.inner(n, validate)
	d.set(b, n, ExpTransform)
}

func (d *LogNormal) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real, hidden: true},
		{name: "scale", value: d.scale, constraint: constraints.Positive, hidden: true},
	}
}

// Loc returns the mean of the logarithm.
func (d *LogNormal) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the standard deviation of the logarithm.
func (d *LogNormal) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the positive numbers.
func (d *LogNormal) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Positive
}

// Mean returns exp(loc + scale^2 / 2).
func (d *LogNormal) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.loc.Add(d.scale.PowScalar(2).DivScalar(2)).Exp() })
}

// Mode returns exp(loc - scale^2).
func (d *LogNormal) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.loc.Sub(d.scale.Square()).Exp() })
}

// Variance returns (exp(scale^2) - 1) exp(2 loc + scale^2).
func (d *LogNormal) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		square := d.scale.PowScalar(2)
		return square.Expm1().Mul(times(2, d.loc).Add(square).Exp())
	})
}

// Entropy returns the entropy of the normal distribution plus loc.
func (d *LogNormal) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.baseDist.Entropy().Add(d.loc) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *LogNormal) Expand(batchShape torch.Shape) Distribution {
	n := &LogNormal{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.loc), grow(d.scale))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *LogNormal) Close() error { return closeAll(d) }
