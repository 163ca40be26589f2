package distributions

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions/constraints"
	"github.com/gotorch/gotorch/torch/linalg"
)

// An LKJCholesky is a distribution of the Cholesky factors of correlation matrices, after
// Lewandowski, Kurowicka and Joe. Follows torch.distributions.LKJCholesky.
type LKJCholesky struct {
	base
	dim           int64
	concentration *torch.Tensor
	beta          *Beta
}

// NewLKJCholesky returns the distribution of the Cholesky factors of dim x dim
// correlation matrices. concentration is a tensor or a number: 1.0 is the uniform
// distribution over correlation matrices, larger values prefer matrices near the
// identity. See [NewNormal] for ownership and panics. NewLKJCholesky also panics with
// ErrValue for a dim below 2; the concentration must be positive.
func NewLKJCholesky(dim int64, concentration any, opts ...Option) *LKJCholesky {
	const op = "distributions.NewLKJCholesky"
	if dim < 2 {
		panic(torch.NewError(op, torch.ErrValue, "dim", fmt.Sprintf("expected at least 2, got %d", dim)))
	}
	d := &LKJCholesky{dim: dim}
	build(d, "LKJCholesky", readOptions(op, opts), func(b *base) {
		d.fill(b, b.broadcast([]string{"concentration"}, concentration)[0])
		b.batch, b.event = d.concentration.Shape(), torch.Shape{dim, dim}
	})
	return d
}

// fill sets the concentration and the distribution of the squared lengths of the rows.
func (d *LKJCholesky) fill(b *base, concentration *torch.Tensor) {
	d.concentration = concentration
	marginal := plus(concentration, 0.5*float64(d.dim-2))
	offset := torch.Cat([]*torch.Tensor{concentration.NewZeros(torch.Shape{1}), upTo(d.dim-1, concentration)})
	c1 := b.keep(plus(offset, 0.5))
	c0 := b.keep(marginal.Unsqueeze(-1).Sub(times(0.5, offset)))
	d.beta = NewBeta(c1, c0, ValidateArgs(false))
	b.part(d.beta)
}

func (d *LKJCholesky) parameters() []parameter {
	return []parameter{{name: "concentration", value: d.concentration, constraint: constraints.Positive}}
}

// Dim returns the size of the matrices.
func (d *LKJCholesky) Dim() int64 { opened(d, "Dim"); return d.dim }

// Concentration returns the parameter.
func (d *LKJCholesky) Concentration() *torch.Tensor {
	opened(d, "Concentration")
	return d.concentration
}

// Support returns the Cholesky factors of correlation matrices.
func (d *LKJCholesky) Support() constraints.Constraint {
	opened(d, "Support")
	return constraints.CorrCholesky
}

// Sample draws samples without gradients, by the onion method; see [Distribution].
func (d *LKJCholesky) Sample(opts ...SampleOption) *torch.Tensor {
	return drawPlain(d, opts, func(sample, shape torch.Shape) *torch.Tensor {
		y := d.beta.Sample(SampleShape(sample)).Unsqueeze(-1)
		u := torch.Randn(shape, y.DType(), y.Device()).Tril(-1)
		u = u.Div(linalg.VectorNorm(u, 2, linalg.Dim(-1), linalg.KeepDim(true)))
		u.Select(-2, 0).Fill_(0) // the division by the row's length, 0, made it NaN
		w := y.Sqrt().Mul(u)
		rest := minus(1, w.PowScalar(2).Sum(torch.Dim(-1))).ClampMin(torch.Finfo(w.DType()).Tiny).Sqrt()
		return w.Add(rest.DiagEmbed())
	})
}

// LogProb returns the log density at value; see [Distribution].
func (d *LKJCholesky) LogProb(value *torch.Tensor) *torch.Tensor {
	return at(d, "LogProb", value, func() *torch.Tensor {
		c, dim := d.concentration, float64(d.dim)
		elements := diagonal(value).Narrow(-1, 1, d.dim-1)
		order := torch.Arange(2, d.dim+1, c.Device())
		order = plus(times(2, minus(c, 1)).Unsqueeze(-1), d.dim).Sub(order)
		density := order.Mul(elements.Log()).Sum(torch.Dim(-1))

		alpha := plus(c, 0.5*(dim-1))
		denominator := times(alpha.Lgamma(), dim-1)
		numerator := minus(alpha, 0.5).Mvlgamma(d.dim - 1)
		norm := plus(0.5*(dim-1)*math.Log(math.Pi), numerator).Sub(denominator)
		return density.Sub(norm)
	})
}

// Expand returns the distribution with its batch expanded to batchShape; see [Distribution].
func (d *LKJCholesky) Expand(batchShape torch.Shape) Distribution {
	n := &LKJCholesky{}
	expand(d, n, batchShape, func(b *base, grow func(*torch.Tensor) *torch.Tensor) {
		n.dim, n.concentration = d.dim, grow(d.concentration)
		n.beta = b.expanded(d.beta, slices.Concat(batchShape, torch.Shape{d.dim})).(*Beta)
	})
	return n
}

// Close frees the tensors that the distribution made; see [Distribution].
func (d *LKJCholesky) Close() error { return closeAll(d) }
