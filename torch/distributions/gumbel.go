package distributions

import (
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// eulerGamma is the Euler-Mascheroni constant.
const eulerGamma = 0.57721566490153286060

// A Gumbel is a Gumbel distribution. Follows torch.distributions.Gumbel.
type Gumbel struct {
	TransformedDistribution
	loc, scale *torch.Tensor
}

// NewGumbel returns the Gumbel distribution with mode loc and the given scale. See
// [NewNormal] for ownership and panics.
func NewGumbel(loc, scale any, opts ...Option) *Gumbel {
	d := &Gumbel{}
	s := readOptions("distributions.NewGumbel", opts)
	build(d, "Gumbel", s, func(b *base) {
		ts := b.broadcast([]string{"loc", "scale"}, loc, scale)
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *Gumbel) fill(b *base, validate bool, loc, scale *torch.Tensor) {
	d.loc, d.scale = loc, scale
	f := torch.Finfo(loc.DType())
	low, high := b.keep(torch.FullLike(loc, f.Tiny)), b.keep(torch.FullLike(loc, 1-f.Eps))
	u := NewUniform(low, high, ValidateArgs(false))
	b.inner(u, validate)
	d.set(b, u, ExpTransform.Inv(), NewAffineTransform(0, b.keep(torch.OnesLike(scale).Neg())),
		ExpTransform.Inv(), NewAffineTransform(loc, b.keep(scale.Neg())))
}

func (d *Gumbel) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real},
		{name: "scale", value: d.scale, constraint: constraints.Positive},
	}
}

// Loc returns the mode.
func (d *Gumbel) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the scale.
func (d *Gumbel) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the real numbers.
func (d *Gumbel) Support() constraints.Constraint { opened(d, "Support"); return constraints.Real }

// LogProb returns the log density at value; see [Distribution].
func (d *Gumbel) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		y := d.loc.Sub(value).Div(d.scale)
		return y.Sub(y.Exp()).Sub(d.scale.Log())
	})
}

// Mean returns loc + scale times the Euler-Mascheroni constant.
func (d *Gumbel) Mean() *torch.Tensor {
	return compute(d, "Mean", func() *torch.Tensor { return d.loc.Add(d.scale.MulScalar(eulerGamma)) })
}

// Mode returns loc.
func (d *Gumbel) Mode() *torch.Tensor {
	return compute(d, "Mode", func() *torch.Tensor { return alias(d.loc) })
}

// StdDev returns scale times pi divided by the root of 6.
func (d *Gumbel) StdDev() *torch.Tensor {
	return compute(d, "StdDev", func() *torch.Tensor { return d.scale.MulScalar(math.Pi / math.Sqrt(6)) })
}

// Variance returns the square of StdDev.
func (d *Gumbel) Variance() *torch.Tensor {
	return compute(d, "Variance", func() *torch.Tensor { return d.StdDev().PowScalar(2) })
}

// Entropy returns log(scale) + 1 + the Euler-Mascheroni constant.
func (d *Gumbel) Entropy() *torch.Tensor {
	return compute(d, "Entropy", func() *torch.Tensor { return d.scale.Log().AddScalar(1 + eulerGamma) })
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Gumbel) Expand(batchShape torch.Shape) Distribution {
	n := &Gumbel{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.loc), grow(d.scale))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Gumbel) Close() error { return closeAll(d) }
