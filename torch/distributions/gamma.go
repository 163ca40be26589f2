package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Gamma is a gamma distribution. Follows torch.distributions.Gamma.
type Gamma struct {
	base
	concentration, rate *torch.Tensor
}

// NewGamma returns the gamma distribution with the shape parameter concentration and the
// parameter rate, the inverse of the scale. Each is a tensor or a number; they broadcast.
// See [NewNormal] for ownership and panics; both must be positive.
func NewGamma(concentration, rate any, opts ...Option) *Gamma {
	d := &Gamma{}
	build(d, "Gamma", readOptions("distributions.NewGamma", opts), func(b *base) {
		ts := b.broadcast([]string{"concentration", "rate"}, concentration, rate)
		d.set(ts[0], ts[1])
	})
	return d
}

// set sets the parameters, which must have the same shape.
func (d *Gamma) set(concentration, rate *torch.Tensor) {
	d.concentration, d.rate = concentration, rate
	d.batch, d.rsample = concentration.Shape(), true
}

func (d *Gamma) parameters() []parameter {
	return []parameter{
		{name: "concentration", value: d.concentration, constraint: constraints.Positive},
		{name: "rate", value: d.rate, constraint: constraints.Positive},
	}
}

// Concentration returns the shape parameter.
func (d *Gamma) Concentration() *torch.Tensor { opened(d, "Concentration"); return d.concentration }

// Rate returns the inverse scale.
func (d *Gamma) Rate() *torch.Tensor { opened(d, "Rate"); return d.rate }

// Support returns the non-negative numbers.
func (d *Gamma) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.NonNegative
}

// Mean returns concentration / rate.
func (d *Gamma) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.concentration.Div(d.rate) })
}

// Mode returns (concentration - 1) / rate, or 0 if that is negative.
func (d *Gamma) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return d.concentration.SubScalar(1).Div(d.rate).Clamp(0, nil) })
}

// Variance returns the concentration divided by the square of the rate.
func (d *Gamma) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.concentration.Div(d.rate.PowScalar(2)) })
}

// RSample draws samples with gradients; see [Distribution].
func (d *Gamma) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return drawGamma(d.concentration, d.rate, shape)
	})
}

// drawGamma draws from gamma distributions. It clamps the sample away from 0, where the
// density may be infinite. The clamping is not part of the autograd graph.
func drawGamma(concentration, rate *torch.Tensor, shape torch.Shape) *torch.Tensor {
	value := aten.UnderStandardGamma(concentration.Expand(shape...), nil).Div(rate.Expand(shape...))
	value.Detach().ClampMin_(torch.Finfo(value.DType()).Tiny)
	return value
}

// LogProb returns the log density at value; see [Distribution].
func (d *Gamma) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		x := value.TypeAs(d.rate)
		return d.concentration.Xlogy(d.rate).Add(d.concentration.SubScalar(1).Xlogy(x)).Sub(d.rate.Mul(x)).
			Sub(d.concentration.Lgamma())
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution]. It has no
// gradient with respect to the concentration.
func (d *Gamma) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor { return d.concentration.Igamma(d.rate.Mul(value)) })
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *Gamma) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		c := d.concentration
		return c.Sub(d.rate.Log()).Add(c.Lgamma()).Add(c.RSubScalar(1).Mul(c.Digamma()))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Gamma) Expand(batchShape torch.Shape) Distribution {
	n := &Gamma{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.set(grow(d.concentration), grow(d.rate))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Gamma) Close() error { return closeAll(d) }
