package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// An InverseGamma is the distribution of 1/x, where x has a [Gamma] distribution.
// Follows torch.distributions.InverseGamma.
type InverseGamma struct {
	TransformedDistribution
	concentration, rate *torch.Tensor
}

// NewInverseGamma returns the inverse gamma distribution with the shape parameter
// concentration and the scale parameter rate. See [NewNormal] for ownership and panics;
// both must be positive.
func NewInverseGamma(concentration, rate any, opts ...Option) *InverseGamma {
	d := &InverseGamma{}
	s := readOptions("distributions.NewInverseGamma", opts)
	build(d, "InverseGamma", s, func(b *base) {
		ts := b.broadcast([]string{"concentration", "rate"}, concentration, rate)
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *InverseGamma) fill(b *base, validate bool, concentration, rate *torch.Tensor) {
	d.concentration, d.rate = concentration, rate
	g := NewGamma(concentration, rate, ValidateArgs(false))
	b.inner(g, validate)
	d.set(b, g, NewPowerTransform(b.keep(rate.NewOnes(torch.Shape{}).Neg())))
}

func (d *InverseGamma) parameters() []parameter {
	return []parameter{
		{name: "concentration", value: d.concentration, constraint: constraints.Positive, hidden: true},
		{name: "rate", value: d.rate, constraint: constraints.Positive, hidden: true},
	}
}

// Concentration returns the shape parameter.
func (d *InverseGamma) Concentration() *torch.Tensor {
	opened(d, "Concentration")
	return d.concentration
}

// Rate returns the scale.
func (d *InverseGamma) Rate() *torch.Tensor { opened(d, "Rate"); return d.rate }

// Support returns the positive numbers.
func (d *InverseGamma) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Positive
}

// Mean returns rate / (concentration - 1), or infinity if the concentration is at most 1.
func (d *InverseGamma) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor {
		return torch.Where(d.concentration.GtScalar(1), d.rate.Div(minus(d.concentration, 1)), math.Inf(1))
	})
}

// Mode returns rate / (concentration + 1).
func (d *InverseGamma) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.rate.Div(plus(d.concentration, 1)) })
}

// Variance returns the variance of each distribution in the batch. It is infinite if the concentration is at most 2.
func (d *InverseGamma) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		v := d.rate.Square().Div(minus(d.concentration, 1).Square().Mul(minus(d.concentration, 2)))
		return torch.Where(d.concentration.GtScalar(2), v, math.Inf(1))
	})
}

// Entropy returns the entropy; see [Distribution].
func (d *InverseGamma) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		c := d.concentration
		return c.Add(d.rate.Log()).Add(c.Lgamma()).Sub(plus(1, c).Mul(c.Digamma()))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *InverseGamma) Expand(batchShape torch.Shape) Distribution {
	n := &InverseGamma{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.concentration), grow(d.rate))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *InverseGamma) Close() error { return closeAll(d) }
