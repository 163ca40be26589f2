package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Uniform is a uniform distribution on an interval. Follows torch.distributions.Uniform.
type Uniform struct {
	base
	low, high *torch.Tensor
}

// NewUniform returns the uniform distribution on [low, high). Each is a tensor or a
// number; they broadcast. See [NewNormal] for ownership and panics; low must be less than
// high.
func NewUniform(low, high any, opts ...Option) *Uniform {
	d := &Uniform{}
	build(d, "Uniform", readOptions("distributions.NewUniform", opts), func(b *base) {
		ts := b.broadcast([]string{"low", "high"}, low, high)
		d.low, d.high = ts[0], ts[1]
		b.batch, b.rsample = d.low.Shape(), true
	})
	return d
}

func (d *Uniform) parameters() []parameter {
	return []parameter{
		{name: "low", value: d.low, constraint: constraints.LessThan(d.high)},
		{name: "high", value: d.high, constraint: constraints.GreaterThan(d.low)},
	}
}

// Low returns the lower end.
func (d *Uniform) Low() *torch.Tensor { opened(d, "Low"); return d.low }

// High returns the upper end.
func (d *Uniform) High() *torch.Tensor { opened(d, "High"); return d.high }

// Support returns the interval from low to high. The result refers to the tensors of
// both.
func (d *Uniform) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Interval(d.low, d.high)
}

// Mean returns the middle of the interval.
func (d *Uniform) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.high.Add(d.low).DivScalar(2) })
}

// Mode returns NaN: no value is more likely than the others.
func (d *Uniform) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.high.MulScalar(math.NaN()) })
}

// StdDev returns the length of the interval divided by the root of 12.
func (d *Uniform) StdDev() *torch.Tensor {
	return compute(d, "StdDev", func() *torch.Tensor { return d.length().DivScalar(math.Sqrt(12)) })
}

// Variance returns the square of the length divided by 12.
func (d *Uniform) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.length().PowScalar(2).DivScalar(12) })
}

func (d *Uniform) length() *torch.Tensor { return d.high.Sub(d.low) }

// RSample draws samples with gradients; see [Distribution].
func (d *Uniform) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.low.Add(torch.Rand(shape, d.low.DType(), d.low.Device()).Mul(d.length()))
	})
}

// LogProb returns the log density at value; see [Distribution]. The result is minus
// infinity at high, which is in the support.
func (d *Uniform) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		inside := d.low.Le(value).TypeAs(d.low).Mul(d.high.Gt(value).TypeAs(d.low))
		return inside.Log().Sub(d.length().Log())
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *Uniform) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor { return value.Sub(d.low).Div(d.length()).Clamp(0, 1) })
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *Uniform) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor { return value.Mul(d.length()).Add(d.low) })
}

// Entropy returns the logarithm of the length.
func (d *Uniform) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.length().Log() })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Uniform) Expand(batchShape torch.Shape) Distribution {
	n := &Uniform{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.low, n.high = grow(d.low), grow(d.high)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Uniform) Close() error { return closeAll(d) }
