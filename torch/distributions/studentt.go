package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A StudentT is Student's t-distribution. Follows torch.distributions.StudentT.
type StudentT struct {
	base
	df, loc, scale *torch.Tensor
	chi2           *Chi2
}

// NewStudentT returns Student's t-distribution with df degrees of freedom, center loc and width
// scale. Each is a tensor or a number; they broadcast. In Python, loc is 0 and scale 1 by
// default. See [NewNormal] for ownership and panics; df and scale must be positive.
func NewStudentT(df, loc, scale any, opts ...Option) *StudentT {
	d := &StudentT{}
	build(d, "StudentT", readOptions("distributions.NewStudentT", opts), func(b *base) {
		ts := b.broadcast([]string{"df", "loc", "scale"}, df, loc, scale)
		d.df, d.loc, d.scale = ts[0], ts[1], ts[2]
		d.chi2 = NewChi2(d.df, ValidateArgs(false))
		b.part(d.chi2)
		b.batch, b.rsample = d.df.Shape(), true
	})
	return d
}

func (d *StudentT) parameters() []parameter {
	return []parameter{
		{name: "df", value: d.df, constraint: constraints.Positive},
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
	}
}

// DF returns the degrees of freedom.
func (d *StudentT) DF() *torch.Tensor { opened(d, "DF"); return d.df }

// Loc returns the center.
func (d *StudentT) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the width.
func (d *StudentT) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the real numbers.
func (d *StudentT) Support() constraints.Constraint { opened(d, "Support"); return constraints.Real }

// Mean returns loc, or NaN if df is at most 1.
func (d *StudentT) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.loc.MaskedFill(d.df.LeScalar(1), math.NaN()) })
}

// Mode returns loc.
func (d *StudentT) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// Variance returns the variance of each distribution in the batch. It is infinite if df is at most 2, and NaN
// if df is at most 1.
func (d *StudentT) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		finite := d.df.GtScalar(2)
		df := d.df.MaskedFill(finite.LogicalNot(), 3) // any df with a finite variance, to keep NaN out of the gradient
		v := d.scale.PowScalar(2).Mul(df).Div(df.SubScalar(2))
		v = torch.Where(finite, v, d.df)
		v = v.MaskedFill(d.df.LeScalar(2).LogicalAnd(d.df.GtScalar(1)), math.Inf(1))
		return v.MaskedFill(d.df.LeScalar(1), math.NaN())
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *StudentT) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(sample, shape torch.Shape) *torch.Tensor {
		x := standardNormal(shape, d.df)
		z := d.chi2.RSample(SampleShape(sample))
		return d.loc.Add(d.scale.Mul(x.Mul(z.Div(d.df).Rsqrt())))
	})
}

// half returns df / 2. It is computed on each use, as in Python, so that gradients are added
// in the same order.
func (d *StudentT) half() *torch.Tensor { return d.df.MulScalar(0.5) }

// halfMore returns (df + 1) / 2, also computed on each use.
func (d *StudentT) halfMore() *torch.Tensor { return d.df.AddScalar(1).MulScalar(0.5) }

// LogProb returns the log density at value; see [Distribution].
func (d *StudentT) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		y := value.Sub(d.loc).Div(d.scale)
		z := d.scale.Log().Add(d.df.Log().MulScalar(0.5)).AddScalar(0.5 * math.Log(math.Pi)).
			Add(d.half().Lgamma()).Sub(d.halfMore().Lgamma())
		return d.df.AddScalar(1).MulScalar(-0.5).Mul(y.PowScalar(2).Div(d.df).Log1p()).Sub(z)
	})
}

// Entropy returns the entropy of each distribution in the batch; see [Distribution].
func (d *StudentT) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor {
		lgammaOfHalf := 0.5 * math.Log(math.Pi)
		lbeta := d.half().Lgamma().AddScalar(lgammaOfHalf).Sub(d.halfMore().Lgamma())
		psi := d.halfMore().Mul(d.halfMore().Digamma().Sub(d.half().Digamma()))
		return d.scale.Log().Add(psi).Add(d.df.Log().MulScalar(0.5)).Add(lbeta)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *StudentT) Expand(batchShape torch.Shape) Distribution {
	n := &StudentT{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.df, n.loc, n.scale = grow(d.df), grow(d.loc), grow(d.scale)
		n.chi2 = d.chi2.Expand(batchShape).(*Chi2)
		b.part(n.chi2)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *StudentT) Close() error { return closeAll(d) }
