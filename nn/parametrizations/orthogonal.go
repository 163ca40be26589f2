package parametrizations

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/parametrize"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// orthogonal computes a matrix with orthonormal columns, or with orthonormal rows if there are more
// columns than rows.
type orthogonal struct {
	nn.Base
	shape    torch.Shape
	mapping  OrthogonalMap
	usesBase bool          // the orthogonal matrix is multiplied by a fixed matrix
	base     *torch.Tensor // the fixed matrix
}

// Orthogonal makes a weight orthogonal, or unitary if it is complex: its columns are orthonormal,
// or its rows if it has more columns than rows. A tensor with more than two dimensions is a batch
// of matrices. The weight starts from its current value, made orthogonal. It panics with ErrNil for
// a nil module or option. It panics with ErrValue if m has no tensor with the name, for a tensor
// with fewer than two dimensions, for an unknown [OrthogonalMap], and for OrthogonalMapHouseholder
// with complex numbers. Follows torch.nn.utils.parametrizations.orthogonal.
func Orthogonal(m nn.Module, opts ...OrthogonalOption) {
	const op = "Orthogonal"
	if opt.IsNil(m) {
		panic(torch.NewError(op, torch.ErrNil, "m", "a nil module"))
	}
	name := "weight"
	p := &orthogonal{usesBase: true}
	for _, o := range opts {
		switch o := o.(type) {
		case Name:
			name = string(o)
		case OrthogonalMap:
			p.mapping = o
			switch o {
			case OrthogonalMapMatrixExp, OrthogonalMapCayley, OrthogonalMapHouseholder:
			default:
				panic(torch.NewError(op, torch.ErrValue, "OrthogonalMap",
					fmt.Sprintf("expected matrix_exp, cayley or householder, got %q", string(o))))
			}
		case UseTrivialization:
			p.usesBase = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	p.Init(p, nn.TypeName("_Orthogonal"))
	done := false
	defer func() {
		if !done {
			_ = p.Close()
		}
	}()
	torch.NoGrad(func() {
		torch.Scope(func() {
			w := mustFindWeight(op, m, name)
			p.shape = w.Shape()
			n := len(p.shape)
			if n < 2 {
				panic(torch.NewError(op, torch.ErrValue, "Name",
					fmt.Sprintf("expected a matrix or a batch of them, got size %v", p.shape)))
			}
			complex := w.IsComplex()
			switch {
			case p.mapping == "" && (complex || p.shape[n-1] == p.shape[n-2]):
				p.mapping = OrthogonalMapMatrixExp
			case p.mapping == "":
				p.mapping = OrthogonalMapHouseholder
			case complex && p.mapping == OrthogonalMapHouseholder:
				panic(torch.NewError(op, torch.ErrValue, "OrthogonalMap", "householder is for real numbers only"))
			}
		})
	})
	parametrize.Register(m, name, p, parametrize.Unsafe(true))
	done = true
}

func (p *orthogonal) Forward(x *torch.Tensor) *torch.Tensor {
	return p.Call(x, p.matrix)
}

func (p *orthogonal) matrix(x *torch.Tensor) *torch.Tensor {
	n, k := x.Size(-2), x.Size(-1)
	wide := n < k
	if wide {
		x, n, k = x.MT(), k, n
	}
	var q *torch.Tensor
	if p.mapping == OrthogonalMapHouseholder {
		a := x.Tril(-1)
		tau := a.Mul(a).Sum(torch.Dim(-2)).AddScalar(1.0).Reciprocal().MulScalar(2.0)
		q = aten.LinalgHouseholderProduct(a, tau)
		q = q.Mul(diagonal(x).Int().Unsqueeze(-2))
	} else {
		x = x.Tril()
		if n != k {
			shape := x.Shape()
			shape[len(shape)-1] = n - k
			x = torch.Cat([]*torch.Tensor{x, x.NewZeros(torch.Shape{n, n - k}).Expand(shape...)}, -1)
		}
		a := x.Sub(x.MH())
		if p.mapping == OrthogonalMapMatrixExp {
			q = a.MatrixExp()
		} else {
			one := torch.Eye(n, a.DType(), a.Device())
			q = one.Add(a, torch.Alpha(-0.5)).Solve(one.Add(a, torch.Alpha(0.5)))
		}
		if n != k {
			q = q.Narrow(-1, 0, k)
		}
	}
	if p.base != nil {
		q = p.base.MatMul(q)
	}
	if wide {
		q = q.MT()
	}
	return q
}

func diagonal(x *torch.Tensor) *torch.Tensor { return x.Diagonal(torch.Dim1(-2), torch.Dim2(-1)) }

// RightInverse returns a tensor for which Forward returns an orthogonal matrix near w. With
// UseTrivialization it stores that orthogonal matrix as the fixed matrix.
func (p *orthogonal) RightInverse(w *torch.Tensor) *torch.Tensor {
	const op = "Orthogonal"
	if !w.Shape().Equal(p.shape) {
		panic(torch.NewError(op, torch.ErrValue, "w", fmt.Sprintf("expected size %v, got %v", p.shape, w.Shape())))
	}
	var x *torch.Tensor
	torch.NoGrad(func() { x = torch.Tidy(func() *torch.Tensor { return p.initialize(w) }) })
	return x
}

func (p *orthogonal) initialize(w *torch.Tensor) *torch.Tensor {
	q := w
	n, k := q.Size(-2), q.Size(-1)
	wide := n < k
	if wide {
		q, n, k = q.MT(), k, n
	}
	if !p.usesBase {
		if p.mapping != OrthogonalMapHouseholder {
			panic(torch.NewError("Orthogonal", torch.ErrNotImplemented, "OrthogonalMap",
				string(p.mapping)+" without UseTrivialization has no inverse"))
		}
		a, tau := aten.Geqrf(q)
		diagonal(a).Sign_()
		zero := torch.Where(tau.EqScalar(0), torch.FullLike(tau, -1.0), torch.OnesLike(tau))
		diagonal(a).Mul_(zero)
		if wide {
			a = a.MT()
		}
		return a
	}
	switch {
	case n != k:
		shape := q.Shape()
		shape[len(shape)-1] = n - k
		q = makeOrthogonal(torch.Cat([]*torch.Tensor{q, torch.Randn(shape, q.DType(), q.Device())}, -1))
	case isOrthogonal(q):
		q = q.Clone()
	default:
		q = makeOrthogonal(q)
	}
	old := p.base
	p.base = p.RegisterBuffer("base", q)
	_ = old.Close()
	start := torch.ZerosLike(w)
	diagonal(start).Fill_(-1.0)
	return start
}

func isOrthogonal(q *torch.Tensor) bool {
	n, k := q.Size(-2), q.Size(-1)
	eps := 10 * float64(n) * torch.Finfo(q.DType()).Eps
	one := torch.Eye(k, q.DType(), q.Device())
	product := q.MH().MatMul(q)
	return product.AllClose(one.ExpandAs(product), torch.ATol(eps))
}

// makeOrthogonal returns the orthogonal factor of the QR decomposition of matrices with at least as
// many rows as columns. The other factor has a positive diagonal.
func makeOrthogonal(a *torch.Tensor) *torch.Tensor {
	x, tau := aten.Geqrf(a)
	q := aten.LinalgHouseholderProduct(x, tau)
	return q.Mul_(diagonal(x).Sgn().Unsqueeze(-2))
}
