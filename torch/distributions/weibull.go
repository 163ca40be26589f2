package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Weibull is a Weibull distribution. Follows torch.distributions.Weibull.
type Weibull struct {
	TransformedDistribution
	scale, concentration, reciprocal *torch.Tensor
}

// NewWeibull returns the Weibull distribution with a scale and the shape parameter
// concentration. See [NewNormal] for ownership and panics; both must be positive.
func NewWeibull(scale, concentration any, opts ...Option) *Weibull {
	d := &Weibull{}
	s := readOptions("distributions.NewWeibull", opts)
	build(d, "Weibull", s, func(b *base) {
		ts := b.broadcast([]string{"scale", "concentration"}, scale, concentration)
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *Weibull) fill(b *base, validate bool, scale, concentration *torch.Tensor) {
	d.scale, d.concentration, d.reciprocal = scale, concentration, b.keep(concentration.Reciprocal())
	e := NewExponential(b.keep(torch.OnesLike(scale)), ValidateArgs(false))
	b.inner(e, validate)
	d.set(b, e, NewPowerTransform(d.reciprocal), NewAffineTransform(0, scale))
}

func (d *Weibull) parameters() []parameter {
	return []parameter{
		{name: "scale", value: d.scale, constraint: constraints.Positive},
		{name: "concentration", value: d.concentration, constraint: constraints.Positive},
	}
}

// Scale returns the scale.
func (d *Weibull) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Concentration returns the shape parameter.
func (d *Weibull) Concentration() *torch.Tensor { opened(d, "Concentration"); return d.concentration }

// Support returns the positive numbers.
func (d *Weibull) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Positive
}

// Mean returns scale times gamma(1 + 1/concentration).
func (d *Weibull) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.scale.Mul(plus(1, d.reciprocal).Lgamma().Exp()) })
}

// Mode returns scale ((concentration - 1) / concentration) ^ (1/concentration).
func (d *Weibull) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		return d.scale.Mul(minus(d.concentration, 1).Div(d.concentration).Pow(d.reciprocal))
	})
}

// Variance returns scale^2 (gamma(1 + 2/concentration) - gamma(1 + 1/concentration)^2).
func (d *Weibull) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		second := plus(1, times(2, d.reciprocal)).Lgamma().Exp()
		first := times(2, plus(1, d.reciprocal).Lgamma()).Exp()
		return d.scale.PowScalar(2).Mul(second.Sub(first))
	})
}

// Entropy returns g (1 - 1/concentration) + log(scale / concentration) + 1, where g is
// the Euler-Mascheroni constant.
func (d *Weibull) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		return plus(times(eulerGamma, minus(1, d.reciprocal)).Add(d.scale.Mul(d.reciprocal).Log()), 1)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Weibull) Expand(batchShape torch.Shape) Distribution {
	n := &Weibull{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.scale), grow(d.concentration))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Weibull) Close() error { return closeAll(d) }
