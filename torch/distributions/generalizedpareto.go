package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A GeneralizedPareto is a generalized Pareto distribution. Follows
// torch.distributions.GeneralizedPareto.
type GeneralizedPareto struct {
	base
	loc, scale, concentration, upper *torch.Tensor
}

// NewGeneralizedPareto returns the generalized Pareto distribution with the smallest
// value loc, the given scale, and the shape parameter concentration. See [NewNormal]
// for ownership and panics.
func NewGeneralizedPareto(loc, scale, concentration any, opts ...Option) *GeneralizedPareto {
	d := &GeneralizedPareto{}
	build(d, "GeneralizedPareto", readOptions("distributions.NewGeneralizedPareto", opts), func(b *base) {
		ts := b.broadcast([]string{"loc", "scale", "concentration"}, loc, scale, concentration)
		d.fill(b, ts[0], ts[1], ts[2])
		b.batch, b.rsample = d.loc.Shape(), true
	})
	return d
}

func (d *GeneralizedPareto) fill(b *base, loc, scale, concentration *torch.Tensor) {
	d.loc, d.scale, d.concentration = loc, scale, concentration
	d.upper = b.keep(torch.Where(concentration.LtScalar(0), loc.Sub(scale.Div(concentration)), math.Inf(1)))
}

func (d *GeneralizedPareto) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
		{name: "concentration", value: d.concentration, constraint: constraints.Real},
	}
}

// Loc returns the smallest value.
func (d *GeneralizedPareto) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the scale.
func (d *GeneralizedPareto) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Concentration returns the shape parameter.
func (d *GeneralizedPareto) Concentration() *torch.Tensor {
	opened(d, "Concentration")
	return d.concentration
}

// Support returns the interval from loc to infinity, or to loc - scale / concentration
// if the concentration is negative. It refers to tensors of the distribution.
func (d *GeneralizedPareto) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Interval(d.loc, d.upper)
}

// safe returns a mask that is true where the concentration is nearly 0, and the concentration with 1
// at those positions, so that formulas can divide by it.
func (d *GeneralizedPareto) safe() (zero, concentration *torch.Tensor) {
	zero = d.concentration.IsClose(torch.ZerosLike(d.concentration))
	return zero, torch.Where(zero, torch.OnesLike(d.concentration), d.concentration)
}

func (d *GeneralizedPareto) standard(value *torch.Tensor) *torch.Tensor {
	return value.Sub(d.loc).Div(d.scale)
}

// Mean returns loc + scale / (1 - concentration) as in PyTorch, or NaN if the
// concentration is at least 1.
func (d *GeneralizedPareto) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor {
		valid := d.concentration.LtScalar(1)
		c := torch.Where(valid, d.concentration, 0.5)
		return torch.Where(valid, d.loc.Add(d.scale.Div(minus(1, c))), math.NaN())
	})
}

// Mode returns loc.
func (d *GeneralizedPareto) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns the variance of each distribution in the batch. It is NaN if the concentration is at least 1/2.
func (d *GeneralizedPareto) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		valid := d.concentration.LtScalar(0.5)
		c := torch.Where(valid, d.concentration, 0.25)
		v := d.scale.PowScalar(2).Div(minus(1, c).PowScalar(2).Mul(minus(1, times(2, c))))
		return torch.Where(valid, v, math.NaN())
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *GeneralizedPareto) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(_, shape torch.Shape) *torch.Tensor {
		return d.quantile(torch.Rand(shape, d.loc.DType(), d.loc.Device()))
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *GeneralizedPareto) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		z := d.standard(value)
		zero, c := d.safe()
		y := over(1, c).Add(torch.OnesLike(z))
		elsewhere := torch.Where(y.EqScalar(0), y, y.Mul(c.Mul(z).Log1p()))
		return d.scale.Log().Neg().Sub(torch.Where(zero, z, elsewhere))
	})
}

// LogSurvivalFunction returns the log probability that a sample is greater than value;
// see [Distribution]. It panics as LogProb does. log_survival_function in Python.
func (d *GeneralizedPareto) LogSurvivalFunction(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogSurvivalFunction", value, func() *torch.Tensor {
		z := d.standard(value)
		zero, c := d.safe()
		return torch.Where(zero, z.Neg(), c.Mul(z).Log1p().Neg().Div(c))
	})
}

// LogCDF returns the logarithm of CDF. It panics as LogProb does. log_cdf in Python.
func (d *GeneralizedPareto) LogCDF(value *torch.Tensor) *torch.Tensor {
	return compute(d, "LogCDF", func() *torch.Tensor { return d.LogSurvivalFunction(value).Exp().Neg().Log1p() })
}

// CDF returns the probability that a sample is at most value; see [Distribution].
func (d *GeneralizedPareto) CDF(value *torch.Tensor) *torch.Tensor {
	return compute(d, "CDF", func() *torch.Tensor { return d.LogCDF(value).Exp() })
}

// ICDF returns the inverse of CDF; see [Distribution].
func (d *GeneralizedPareto) ICDF(value *torch.Tensor) *torch.Tensor {
	return unchecked(d, "ICDF", value, func() *torch.Tensor { return d.quantile(value) })
}

func (d *GeneralizedPareto) quantile(p *torch.Tensor) *torch.Tensor {
	zero, c := d.safe()
	log := p.Neg().Log1p()
	elsewhere := d.loc.Add(d.scale.Div(c).Mul(c.Neg().Mul(log).Expm1()))
	return torch.Where(zero, d.loc.Sub(d.scale.Mul(log)), elsewhere)
}

// Entropy returns log(scale) + concentration + 1.
func (d *GeneralizedPareto) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return plus(d.scale.Log().Add(d.concentration), 1) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *GeneralizedPareto) Expand(batchShape torch.Shape) Distribution {
	n := &GeneralizedPareto{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, grow(d.loc), grow(d.scale), grow(d.concentration))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *GeneralizedPareto) Close() error { return closeAll(d) }
