package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Kumaraswamy is a Kumaraswamy distribution. Follows torch.distributions.Kumaraswamy.
type Kumaraswamy struct {
	TransformedDistribution
	concentration1, concentration0 *torch.Tensor
}

// NewKumaraswamy returns the Kumaraswamy distribution with two shape parameters. See
// [NewNormal] for ownership and panics; both must be positive.
func NewKumaraswamy(concentration1, concentration0 any, opts ...Option) *Kumaraswamy {
	d := &Kumaraswamy{}
	s := readOptions("distributions.NewKumaraswamy", opts)
	build(d, "Kumaraswamy", s, func(b *base) {
		ts := b.broadcast([]string{"concentration1", "concentration0"}, concentration1, concentration0)
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *Kumaraswamy) fill(b *base, validate bool, c1, c0 *torch.Tensor) {
	d.concentration1, d.concentration0 = c1, c0
	u := NewUniform(b.keep(torch.ZerosLike(c0)), b.keep(torch.OnesLike(c0)), ValidateArgs(false))
	b.inner(u, validate)
	d.set(b, u, NewPowerTransform(b.keep(c0.Reciprocal())), NewAffineTransform(1.0, -1.0),
		NewPowerTransform(b.keep(c1.Reciprocal())))
}

func (d *Kumaraswamy) parameters() []parameter {
	return []parameter{
		{name: "concentration1", value: d.concentration1, constraint: constraints.Positive},
		{name: "concentration0", value: d.concentration0, constraint: constraints.Positive},
	}
}

// Concentration1 returns the first shape parameter.
func (d *Kumaraswamy) Concentration1() *torch.Tensor {
	opened(d, "Concentration1")
	return d.concentration1
}

// Concentration0 returns the second shape parameter.
func (d *Kumaraswamy) Concentration0() *torch.Tensor {
	opened(d, "Concentration0")
	return d.concentration0
}

// Support returns the unit interval.
func (d *Kumaraswamy) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.UnitInterval
}

// moment returns the mean of the n-th power.
func (d *Kumaraswamy) moment(n float64) *torch.Tensor {
	a, b := d.concentration1, d.concentration0
	arg := plus(1, over(n, a))
	return b.Mul(arg.Lgamma().Add(b.Lgamma()).Sub(arg.Add(b).Lgamma()).Exp())
}

// Mean returns the first moment.
func (d *Kumaraswamy) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.moment(1) })
}

// Mode returns NaN if a parameter is less than 1. It also returns NaN if concentration0
// is more than 1, because PyTorch's formula takes the logarithm of a negative number.
func (d *Kumaraswamy) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		c1, c0 := d.concentration1, d.concentration0
		log := c0.Reciprocal().Mul(c0.Neg().Log1p()).Sub(c0.Neg().Mul(c1).Log1p())
		return torch.Where(c0.LtScalar(1).LogicalOr(c1.LtScalar(1)), math.NaN(), log).Exp()
	})
}

// Variance returns the second moment minus the square of the first.
func (d *Kumaraswamy) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.moment(2).Sub(d.moment(1).PowScalar(2)) })
}

// Entropy returns the entropy; see [Distribution].
func (d *Kumaraswamy) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		c1, c0 := d.concentration1, d.concentration0
		t1, t0 := minus(1, c1.Reciprocal()), minus(1, c0.Reciprocal())
		h0 := plus(plus(c0, 1).Digamma(), eulerGamma)
		return t0.Add(t1.Mul(h0)).Sub(c1.Log()).Sub(c0.Log())
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Kumaraswamy) Expand(batchShape torch.Shape) Distribution {
	n := &Kumaraswamy{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.concentration1), grow(d.concentration0))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Kumaraswamy) Close() error { return closeAll(d) }
