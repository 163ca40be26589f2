package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A LogisticNormal is a distribution of vectors on the simplex, made from normal
// variables by stick breaking. Follows torch.distributions.LogisticNormal.
type LogisticNormal struct {
	TransformedDistribution
	loc, scale *torch.Tensor
}

// NewLogisticNormal returns the logistic-normal distribution. loc and scale are the means
// and standard deviations of the normal variables along the last dimension. A value of
// the distribution has one more element. See [NewNormal] for ownership and panics.
func NewLogisticNormal(loc, scale any, opts ...Option) *LogisticNormal {
	d := &LogisticNormal{}
	s := readOptions("distributions.NewLogisticNormal", opts)
	build(d, "LogisticNormal", s, func(b *base) {
		ts := b.broadcast([]string{"loc", "scale"}, loc, scale)
		if ts[0].Dim() == 0 {
			ts[0], ts[1] = b.keep(ts[0].Expand(1)), b.keep(ts[1].Expand(1))
		}
		d.fill(b, s.validate, ts[0], ts[1])
	})
	return d
}

func (d *LogisticNormal) fill(b *base, validate bool, loc, scale *torch.Tensor) {
	d.loc, d.scale = loc, scale
	n := NewNormal(loc, scale, ValidateArgs(false))
	b.inner(n, validate)
	d.set(b, n, StickBreakingTransform)
}

func (d *LogisticNormal) parameters() []parameter {
	return []parameter{
		{name: "loc", value: d.loc, constraint: constraints.Real, hidden: true},
		{name: "scale", value: d.scale, constraint: constraints.Positive, hidden: true},
	}
}

// Loc returns the means.
func (d *LogisticNormal) Loc() *torch.Tensor { opened(d, "Loc"); return d.loc }

// Scale returns the standard deviations.
func (d *LogisticNormal) Scale() *torch.Tensor { opened(d, "Scale"); return d.scale }

// Support returns the simplex.
func (d *LogisticNormal) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.Simplex
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *LogisticNormal) Expand(batchShape torch.Shape) Distribution {
	n := &LogisticNormal{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.fill(b, d.validate, grow(d.loc), grow(d.scale))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *LogisticNormal) Close() error { return closeAll(d) }
