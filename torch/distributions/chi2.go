package distributions

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
)

// A Chi2 is a chi-squared distribution: the [Gamma] distribution with half the degrees of
// freedom as concentration and the rate 1/2. Follows torch.distributions.Chi2.
type Chi2 struct {
	Gamma
	df *torch.Tensor
}

// NewChi2 returns the chi-squared distribution with df degrees of freedom, a tensor or a
// number. See [NewNormal] for ownership and panics; df must be positive.
func NewChi2(df any, opts ...Option) *Chi2 {
	d := &Chi2{}
	build(d, "Chi2", readOptions("distributions.NewChi2", opts), func(b *base) {
		d.df = b.broadcast([]string{"df"}, df)[0]
		half := b.keep(d.df.MulScalar(0.5))
		d.set(half, b.keep(torch.FullLike(half, 0.5)))
	})
	return d
}

func (d *Chi2) parameters() []parameter {
	return []parameter{{name: "df", value: d.df, constraint: constraints.Positive, hidden: true}}
}

// DF returns the degrees of freedom.
func (d *Chi2) DF() *torch.Tensor { opened(d, "DF"); return d.df }

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *Chi2) Expand(batchShape torch.Shape) Distribution {
	n := &Chi2{}
	expand(d, n, batchShape, func(_ *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.df = grow(d.df)
		n.set(grow(d.concentration), grow(d.rate))
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *Chi2) Close() error { return closeAll(d) }
