package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Laplace is a Laplace distribution, in which |x - loc| has an exponential
// distribution. Follows torch.distributions.Laplace.
type Laplace struct {
	base
	loc, scale *torch.Tensor
}

// NewLaplace returns the Laplace distribution with center loc and width scale. Each is a
// tensor or a number; they broadcast. See [NewNormal] for ownership and panics; scale
// must be positive.
func NewLaplace(loc, scale any, opts ...Option) *Laplace {
	d := &Laplace{}
	build(d, "Laplace", readOptions("distributions.NewLaplace", opts), func(b *base) {
		ts := b.broadcast([]string{"loc", "scale"}, loc, scale)
		d.loc, d.scale = ts[0], ts[1]
		b.batch, b.rsample = d.loc.Shape(), true
	})
	return d
}

func (d *Laplace) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
	}
}

// Loc returns the center.
func (d *Laplace) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the width.
func (d *Laplace) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the real numbers.
func (d *Laplace) Support() constraints.Constraint { opened(d, "Support"); return constraints.Real }

// Mean returns loc.
func (d *Laplace) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.loc) })
}

// Mode returns loc.
func (d *Laplace) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns twice the square of scale.
func (d *Laplace) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.scale.PowScalar(2).MulScalar(2) })
}

// StdDev returns scale times the root of 2.
func (d *Laplace) StdDev() *torch.Tensor {
	return compute(d, "StdDev", func() *torch.Tensor { return d.scale.MulScalar(math.Sqrt2) })
}

// RSample draws samples with gradients; see [Distribution].
func (d *Laplace) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		u := d.loc.NewEmpty(shape).Uniform_(torch.Finfo(d.loc.DType()).Eps-1, 1)
		return d.loc.Sub(d.scale.Mul(u.Sign()).Mul(u.Abs().Neg().Log1p()))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *Laplace) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		return d.scale.MulScalar(2).Log().Neg().Sub(value.Sub(d.loc).Abs().Div(d.scale))
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *Laplace) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor {
		x := value.Sub(d.loc)
		return x.Sign().MulScalar(0.5).Mul(x.Abs().Neg().Div(d.scale).Expm1()).RSubScalar(0.5)
	})
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *Laplace) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor {
		term := value.SubScalar(0.5)
		return d.loc.Sub(d.scale.Mul(term.Sign()).Mul(term.Abs().MulScalar(-2).Log1p()))
	})
}

// Entropy returns 1 + log(2 scale).
func (d *Laplace) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.scale.MulScalar(2).Log().AddScalar(1) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Laplace) Expand(batchShape torch.Shape) Distribution {
	n := &Laplace{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.loc, n.scale = grow(d.loc), grow(d.scale)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Laplace) Close() error { return closeAll(d) }
