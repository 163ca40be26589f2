package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// An Exponential is an exponential distribution. Follows torch.distributions.Exponential.
type Exponential struct {
	base
	rate *torch.Tensor
}

// NewExponential returns the exponential distribution with the given rate, the inverse of
// the scale. rate is a tensor or a number. See [NewNormal] for ownership and panics; rate
// must be positive.
func NewExponential(rate any, opts ...Option) *Exponential {
	d := &Exponential{}
	build(d, "Exponential", readOptions("distributions.NewExponential", opts), func(b *base) {
		d.rate = b.broadcast([]string{"rate"}, rate)[0]
		b.batch, b.rsample = d.rate.Shape(), true
	})
	return d
}

func (d *Exponential) parameters() []parameter {
	return []parameter{{name: "rate", value: d.rate, constraint: constraints.Positive}}
}

// Rate returns the inverse scale.
func (d *Exponential) Rate() *torch.Tensor { opened(d, "Rate"); return d.rate }

// Support returns the non-negative numbers.
func (d *Exponential) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.NonNegative
}

// Mean returns 1 / rate.
func (d *Exponential) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.rate.Reciprocal() })
}

// Mode returns 0.
func (d *Exponential) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return torch.ZerosLike(d.rate) })
}

// StdDev returns 1 / rate.
func (d *Exponential) StdDev() *torch.Tensor {
	return compute(d, "StdDev", func() *torch.Tensor { return d.rate.Reciprocal() })
}

// Variance returns the square of 1 / rate.
func (d *Exponential) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.rate.PowScalar(-2) })
}

// RSample draws samples with gradients; see [Distribution].
func (d *Exponential) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.rate.NewEmpty(shape).Exponential_(1).Div(d.rate)
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *Exponential) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor { return d.rate.Log().Sub(d.rate.Mul(value)) })
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *Exponential) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor { return d.rate.Neg().Mul(value).Exp().RSubScalar(1) })
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *Exponential) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor { return value.Neg().Log1p().Neg().Div(d.rate) })
}

// Entropy returns 1 - log(rate).
func (d *Exponential) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.rate.Log().RSubScalar(1) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Exponential) Expand(batchShape torch.Shape) Distribution {
	n := &Exponential{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) { n.rate = grow(d.rate) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Exponential) Close() error { return closeAll(d) }
