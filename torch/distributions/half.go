package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// half is the distribution of |x|, where the distribution of x is symmetric around 0.
// [HalfNormal] and [HalfCauchy] embed it.
type half struct {
	TransformedDistribution
	scale *torch.Tensor
}

func (d *half) parameters() []parameter {
	return []parameter{{name: "scale", value: d.scale, constraint: constraints.Positive, hidden: true}}
}

// Scale returns the scale of x.
func (d *half) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the non-negative numbers.
func (d *half) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.NonNegative
}

// Mode returns 0.
func (d *half) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return torch.ZerosLike(d.scale) })
}

// LogProb returns the log density at value; see [Distribution]. The result is minus
// infinity for a negative value.
func (d *half) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		return torch.Where(value.GeScalar(0), d.baseDist.LogProb(value).AddScalar(math.Ln2), math.Inf(-1))
	})
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *half) CDF(value *torch.Tensor) *torch.Tensor {
	return at(d, "CDF", value, func() *torch.Tensor { return minus(times(2, d.baseDist.CDF(value)), 1) })
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *half) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor { return d.baseDist.ICDF(over(plus(value, 1), 2)) })
}

// Entropy returns the entropy of x minus log(2).
func (d *half) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return minus(d.baseDist.Entropy(), math.Ln2) })
}

// A HalfNormal is the distribution of |x|, where x has a normal distribution with mean
// 0. Follows torch.distributions.HalfNormal.
type HalfNormal struct{ half }

// NewHalfNormal returns the half-normal distribution; scale is the standard deviation of
// the normal distribution. See [NewNormal] for ownership and panics.
func NewHalfNormal(scale any, opts ...Option) *HalfNormal {
	d := &HalfNormal{}
	build(d, "HalfNormal", readOptions("distributions.NewHalfNormal", opts), func(b *base) {
		d.fill(b, b.broadcast([]string{"scale"}, scale)[0])
	})
	return d
}

func (d *HalfNormal) fill(b *base, scale *torch.Tensor) {
	d.scale = scale
	n := NewNormal(0, scale, ValidateArgs(false))
	b.part(n)
	d.set(b, n, AbsTransform)
}

// Mean returns scale times the root of 2/pi.
func (d *HalfNormal) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.scale.MulScalar(math.Sqrt(2 / math.Pi)) })
}

// Variance returns scale^2 (1 - 2/pi).
func (d *HalfNormal) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.scale.PowScalar(2).MulScalar(1 - 2/math.Pi) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *HalfNormal) Expand(batchShape torch.Shape) Distribution {
	n := &HalfNormal{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.fill(b, grow(d.scale)) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *HalfNormal) Close() error { return closeAll(d) }

// A HalfCauchy is the distribution of |x|, where x has a Cauchy distribution with median 0.
// Follows torch.distributions.HalfCauchy.
type HalfCauchy struct{ half }

// NewHalfCauchy returns the half-Cauchy distribution; scale is the scale of the Cauchy
// distribution. See [NewNormal] for ownership and panics.
func NewHalfCauchy(scale any, opts ...Option) *HalfCauchy {
	d := &HalfCauchy{}
	build(d, "HalfCauchy", readOptions("distributions.NewHalfCauchy", opts), func(b *base) {
		d.fill(b, b.broadcast([]string{"scale"}, scale)[0])
	})
	return d
}

func (d *HalfCauchy) fill(b *base, scale *torch.Tensor) {
	d.scale = scale
	c := NewCauchy(0, scale, ValidateArgs(false))
	b.part(c)
	d.set(b, c, AbsTransform)
}

// Mean returns infinity.
func (d *HalfCauchy) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.scale.NewFull(d.batch, math.Inf(1)) })
}

// Variance returns infinity.
func (d *HalfCauchy) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.baseDist.Variance() })
}

// LogProb returns the log density at value, in the dtype of the scale; see
// [Distribution].
func (d *HalfCauchy) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		value := value.To(d.scale.DType(), d.scale.Device())
		return torch.Where(value.GeScalar(0), d.baseDist.LogProb(value).AddScalar(math.Ln2), math.Inf(-1))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *HalfCauchy) Expand(batchShape torch.Shape) Distribution {
	n := &HalfCauchy{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) { n.fill(b, grow(d.scale)) })
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *HalfCauchy) Close() error { return closeAll(d) }
