package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A FisherSnedecor is an F-distribution. Follows torch.distributions.FisherSnedecor.
type FisherSnedecor struct {
	base
	df1, df2       *torch.Tensor
	gamma1, gamma2 *Gamma
}

// NewFisherSnedecor returns the F-distribution with df1 and df2 degrees of freedom. Each
// is a tensor or a number; they broadcast. See [NewNormal] for ownership and panics; both
// must be positive.
func NewFisherSnedecor(df1, df2 any, opts ...Option) *FisherSnedecor {
	d := &FisherSnedecor{}
	build(d, "FisherSnedecor", readOptions("distributions.NewFisherSnedecor", opts), func(b *base) {
		ts := b.broadcast([]string{"df1", "df2"}, df1, df2)
		d.df1, d.df2 = ts[0], ts[1]
		d.gamma1 = NewGamma(b.keep(d.df1.MulScalar(0.5)), d.df1, ValidateArgs(false))
		d.gamma2 = NewGamma(b.keep(d.df2.MulScalar(0.5)), d.df2, ValidateArgs(false))
		b.part(d.gamma1)
		b.part(d.gamma2)
		b.batch, b.rsample = d.df1.Shape(), true
	})
	return d
}

func (d *FisherSnedecor) parameters() []parameter {
	return []parameter{
		{name: "df1", value: d.df1, constraint: constraints.Positive},
		{name: "df2", value: d.df2, constraint: constraints.Positive},
	}
}

// DF1 returns the first degrees of freedom.
func (d *FisherSnedecor) DF1() *torch.Tensor { opened(d, "DF1"); return d.df1 }

// DF2 returns the second degrees of freedom.
func (d *FisherSnedecor) DF2() *torch.Tensor { opened(d, "DF2"); return d.df2 }

// Support returns the positive numbers.
func (d *FisherSnedecor) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Positive
}

// Mean returns df2 / (df2 - 2), or NaN where df2 is at most 2.
func (d *FisherSnedecor) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor {
		df2 := nanUpTo(d.df2, 2)
		return df2.Div(df2.SubScalar(2))
	})
}

// nanUpTo returns x with NaN in place of elements that are at most limit.
func nanUpTo(x *torch.Tensor, limit float64) *torch.Tensor {
	return x.MaskedFill(x.LeScalar(limit), math.NaN())
}

// Mode returns (df1 - 2) / df1 * df2 / (df2 + 2), or NaN where df1 is at most 2.
func (d *FisherSnedecor) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor {
		mode := d.df1.SubScalar(2).Div(d.df1).Mul(d.df2).Div(d.df2.AddScalar(2))
		return mode.MaskedFill(d.df1.LeScalar(2), math.NaN())
	})
}

// Variance returns the variance of each distribution in the batch. It is NaN where df2 is at most 4.
func (d *FisherSnedecor) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor {
		df2 := nanUpTo(d.df2, 4)
		above := df2.PowScalar(2).MulScalar(2).Mul(d.df1.Add(df2).SubScalar(2))
		return above.Div(d.df1.Mul(df2.SubScalar(2).PowScalar(2)).Mul(df2.SubScalar(4)))
	})
}

// RSample draws samples with gradients; see [Distribution].
func (d *FisherSnedecor) RSample(opts ...SampleOption) *torch.Tensor {
	return draw(d, "RSample", opts, func(sample, _ torch.Shape) *torch.Tensor {
		x1, x2 := d.gamma1.RSample(SampleShape(sample)), d.gamma2.RSample(SampleShape(sample))
		tiny := torch.Finfo(x2.DType()).Tiny
		return x1.Div(x2.ClampMin(tiny)).ClampMin(tiny)
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *FisherSnedecor) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		half1, half2, ratio := d.df1.MulScalar(0.5), d.df2.MulScalar(0.5), d.df1.Div(d.df2)
		both := half1.Add(half2)
		t1 := both.Lgamma().Sub(half1.Lgamma()).Sub(half2.Lgamma())
		t2 := half1.Mul(ratio.Log()).Add(half1.SubScalar(1).Mul(value.Log()))
		return t1.Add(t2).Sub(both.Mul(ratio.Mul(value).Log1p()))
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *FisherSnedecor) Expand(batchShape torch.Shape) Distribution {
	n := &FisherSnedecor{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.df1, n.df2 = grow(d.df1), grow(d.df2)
		n.gamma1, n.gamma2 = d.gamma1.Expand(batchShape).(*Gamma), d.gamma2.Expand(batchShape).(*Gamma)
		b.part(n.gamma1)
		b.part(n.gamma2)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *FisherSnedecor) Close() error { return closeAll(d) }
