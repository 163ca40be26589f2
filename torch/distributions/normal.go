package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Normal is a normal (Gaussian) distribution. Follows torch.distributions.Normal.
type Normal struct {
	base
	loc, scale *torch.Tensor
}

// NewNormal returns the normal distribution with mean loc and standard deviation scale.
// Each is a tensor or a number; they broadcast. The caller owns the tensors that it
// passes, and must keep them open while the distribution is used. Tensors that the
// distribution makes belong to the innermost scope or else to the garbage collector, and
// Close frees them. NewNormal panics with ErrNil or ErrClosed for a nil or closed tensor,
// with ErrType for an argument that is neither a tensor nor a number, with ErrShape if
// the shapes do not broadcast, and with ErrValue for a scale that is not positive.
func NewNormal(loc, scale any, opts ...Option) *Normal {
	d := &Normal{}
	build(d, "Normal", readOptions("distributions.NewNormal", opts), func(b *base) {
		ts := b.broadcast([]string{"loc", "scale"}, loc, scale)
		d.loc, d.scale = ts[0], ts[1]
		b.batch, b.rsample = d.loc.Shape(), true
	})
	return d
}

func (d *Normal) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
	}
}

// Loc returns the mean.
func (d *Normal) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the standard deviation.
func (d *Normal) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the real numbers.
func (d *Normal) Support() constraints.Constraint { opened(d, "Support"); return constraints.Real }

// Mean returns loc.
func (d *Normal) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return alias(d.loc) })
}

// Mode returns loc.
func (d *Normal) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// StdDev returns scale.
func (d *Normal) StdDev() *torch.Tensor {
	return compute(d, "StdDev", func() *torch.Tensor { return alias(d.scale) })
}

// Variance returns the square of scale.
func (d *Normal) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.scale.PowScalar(2) })
}

// Sample draws samples without gradients; see [Distribution].
func (d *Normal) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(_, shape torch.Shape) *torch.Tensor {
		return torch.NormalTensor(d.loc.Expand(shape...), d.scale.Expand(shape...))
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *Normal) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.loc.Add(standardNormal(shape, d.loc).Mul(d.scale))
	})
}

// standardNormal draws from the standard normal distribution, in the dtype and on the device
// of like.
func standardNormal(shape torch.Shape, like *torch.Tensor) *torch.Tensor {
	return like.NewEmpty(shape).Normal_(0, 1)
}

// LogProb returns the log density at value; see [Distribution].
func (d *Normal) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		twice := d.scale.PowScalar(2).MulScalar(2)
		return value.Sub(d.loc).PowScalar(2).Neg().Div(twice).Sub(d.scale.Log()).
			SubScalar(math.Log(math.Sqrt(2 * math.Pi)))
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *Normal) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor {
		return value.Sub(d.loc).Mul(d.scale.Reciprocal()).DivScalar(math.Sqrt2).Erf().AddScalar(1).MulScalar(0.5)
	})
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *Normal) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor {
		return d.loc.Add(d.scale.Mul(value.MulScalar(2).SubScalar(1).Erfinv()).MulScalar(math.Sqrt2))
	})
}

// Entropy returns 1/2 + log(2 pi)/2 + log(scale).
func (d *Normal) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.scale.Log().AddScalar(0.5 + 0.5*math.Log(2*math.Pi)) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Normal) Expand(batchShape torch.Shape) Distribution {
	n := &Normal{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.loc, n.scale = grow(d.loc), grow(d.scale)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Normal) Close() error { return closeAll(d) }
