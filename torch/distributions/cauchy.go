package distributions

import (
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Cauchy is a Cauchy (Lorentz) distribution, which has neither mean nor variance.
// Follows torch.distributions.Cauchy.
type Cauchy struct {
	base
	loc, scale *torch.Tensor
}

// NewCauchy returns the Cauchy distribution with median loc and half width at half
// maximum equal to scale. Each is a tensor or a number; they broadcast. See [NewNormal]
// for ownership and panics; scale must be positive.
func NewCauchy(loc, scale any, opts ...Option) *Cauchy {
	d := &Cauchy{}
	build(d, "Cauchy", readOptions("distributions.NewCauchy", opts), func(b *base) {
		ts := b.broadcast([]string{"loc", "scale"}, loc, scale)
		d.loc, d.scale = ts[0], ts[1]
		b.batch, b.rsample = d.loc.Shape(), true
	})
	return d
}

func (d *Cauchy) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
	}
}

// Loc returns the median.
func (d *Cauchy) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the half width at half maximum.
func (d *Cauchy) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the real numbers.
func (d *Cauchy) Support() constraints.Constraint { opened(d, "Support"); return constraints.Real }

// Mean returns NaN.
func (d *Cauchy) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return filled(&d.base, d.loc, math.NaN()) })
}

// Mode returns loc.
func (d *Cauchy) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns infinity.
func (d *Cauchy) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return filled(&d.base, d.loc, math.Inf(1)) })
}

// filled returns a tensor full of v with the shape of a single sample, including the
// batch. It has the dtype and device of like.
func filled(b *base, like *torch.Tensor, v float64) *torch.Tensor {
	return torch.Full(slices.Concat(b.batch, b.event), v, like.DType(), like.Device())
}

// RSample draws samples with gradients; see [Distribution].
func (d *Cauchy) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.loc.Add(d.loc.NewEmpty(shape).Cauchy_(0, 1).Mul(d.scale))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *Cauchy) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		return d.scale.Log().RSubScalar(-math.Log(math.Pi)).Sub(value.Sub(d.loc).Div(d.scale).PowScalar(2).Log1p())
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *Cauchy) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor {
		return value.Sub(d.loc).Div(d.scale).Atan().DivScalar(math.Pi).AddScalar(0.5)
	})
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *Cauchy) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor {
		return value.SubScalar(0.5).MulScalar(math.Pi).Tan().Mul(d.scale).Add(d.loc)
	})
}

// Entropy returns log(4 pi) + log(scale).
func (d *Cauchy) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.scale.Log().AddScalar(math.Log(4 * math.Pi)) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Cauchy) Expand(batchShape torch.Shape) Distribution {
	n := &Cauchy{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.loc, n.scale = grow(d.loc), grow(d.scale)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Cauchy) Close() error { return closeAll(d) }
