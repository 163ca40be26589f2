package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Pareto is a Pareto distribution of type 1. Follows torch.distributions.Pareto.
type Pareto struct {
	TransformedDistribution
	scale, alpha *torch.Tensor
}

// NewPareto returns the Pareto distribution whose smallest value is scale and whose shape
// parameter is alpha. See [NewNormal] for ownership and panics; both must be positive.
func NewPareto(scale, alpha any, opts ...Option) *Pareto {
	d := &Pareto{}
	s := readOptions("distributions.NewPareto", opts)
	build(d, "Pareto", s, func(b *base) {
		ts := b.broadcast([]string{"scale", "alpha"}, scale, alpha)
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *Pareto) fill(b *base, validate bool, scale, alpha *torch.Tensor) {
	d.scale, d.alpha = scale, alpha
	e := NewExponential(alpha, ValidateArgs(false))
	b.inner(e, validate)
	d.set(b, e, ExpTransform, NewAffineTransform(0, scale))
}

func (d *Pareto) parameters() []parameter {
	return []parameter{
		{name: "alpha", value: d.alpha, constraint: constraints.Positive},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
	}
}

// Scale returns the smallest value.
func (d *Pareto) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Alpha returns the shape parameter.
func (d *Pareto) Alpha() *torch.Tensor { opened(d, "Alpha"); return d.alpha }

// Support returns the numbers that are at least scale. The result refers to the tensor of
// scale.
func (d *Pareto) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.GreaterThanEq(d.scale)
}

// Mean returns alpha scale / (alpha - 1), or infinity if alpha is at most 1.
func (d *Pareto) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor {
		a := d.alpha.ClampMin(1)
		return a.Mul(d.scale).Div(minus(a, 1))
	})
}

// Mode returns scale.
func (d *Pareto) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.scale) })
}

// Variance returns scale^2 alpha / ((alpha - 1)^2 (alpha - 2)), or infinity if alpha is at most 2.
func (d *Pareto) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		a := d.alpha.ClampMin(2)
		return d.scale.PowScalar(2).Mul(a).Div(minus(a, 1).PowScalar(2).Mul(minus(a, 2)))
	})
}

// Entropy returns log(scale / alpha) + 1 + 1/alpha.
func (d *Pareto) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		return d.scale.Div(d.alpha).Log().Add(plus(1, d.alpha.Reciprocal()))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Pareto) Expand(batchShape torch.Shape) Distribution {
	n := &Pareto{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.scale), grow(d.alpha))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Pareto) Close() error { return closeAll(d) }
