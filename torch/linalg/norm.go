package linalg

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
)

// Norms.

// MatrixNorm returns the norms of matrices: ord is a number, "fro" or "nuc",
// "fro" in Python unless given. It is [torch.Tensor.MatrixNorm]: so are owner
// and panics. Follows torch.linalg.matrix_norm.
func MatrixNorm(a *torch.Tensor, ord any, opts ...torch.MatrixNormOption) *torch.Tensor {
	return a.MatrixNorm(ord, opts...)
}

// along are options of norms, read.
type along struct {
	one     [1]int64
	dims    []int64
	single  bool
	keepdim bool
	dtype   torch.DType
}

// list returns the dimensions, nil if none were given. The result is part of a.
func (a *along) list() []int64 {
	if a.single {
		return a.one[:]
	}
	return a.dims
}

func readAlong(op string, opts []torch.ReduceOption) (a along) {
	for _, o := range opts {
		switch o := o.(type) {
		case Dim:
			a.one[0], a.single = int64(o), true
		case Dims:
			a.dims, a.single = nil, false
			if len(o) > 0 {
				a.dims = o
			}
		case KeepDim:
			a.keepdim = bool(o)
		case torch.DType:
			a.dtype = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return a
}

// VectorNorm returns the norms of order ord, a number, of the vectors along [Dim]
// or [Dims], or of all elements: the ord-th root of the sum of abs(x) to the power
// of ord, for infinities the largest or smallest size, and for 0 how many are not
// 0. ord is 2 in Python unless given. A DType is that of the sums and of the
// result. The result is a new tensor, owned by the innermost scope, else by the
// collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrType if ord is no number, with ErrIndex for a dimension that is
// not there, with ErrShape for one given twice or without elements where that has
// no norm, and with ErrDType for integers. Follows torch.linalg.vector_norm.
func VectorNorm(x *torch.Tensor, ord any, opts ...torch.ReduceOption) *torch.Tensor {
	const op = "linalg.VectorNorm(x)"
	h, p, o := x.HandleFor(op, 0), operand.Number(op, "ord", ord), readAlong(op, opts)
	r := torch.BeginRaw(op, x)
	return r.Tensor(aten.LinalgVectorNorm(r.Ctx, h, p, o.list(), o.keepdim, o.dtype.Code()))
}

// Norm returns the norms of vectors along one dimension, as VectorNorm does, or
// of matrices along two, as MatrixNorm does. Without [Dim] or [Dims] it is a
// vector or a matrix as a has one or two dimensions; with a nil ord it is the
// 2-norm of all elements. ord is a number, "fro" or "nuc", or nil, which it is in
// Python unless given. A DType is that of the sums and of the result. The result
// is a new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrType for an
// ord of another type, with ErrValue for another word or number, with ErrIndex for
// a dimension that is not there, with ErrShape for one given twice and for an ord
// and dimensions that do not fit, and with ErrDType for integers.
// Follows torch.linalg.norm.
func Norm(a *torch.Tensor, ord any, opts ...torch.ReduceOption) *torch.Tensor {
	const op = "linalg.Norm(a)"
	h, o := a.HandleFor(op, 0), readAlong(op, opts)
	if name, ok := ord.(string); ok {
		if name != "fro" && name != "nuc" {
			panic(torch.NewError(op, torch.ErrValue, "ord", "expected fro or nuc, got "+strconv.Quote(name)))
		}
		r := torch.BeginRaw(op, a)
		return r.Tensor(aten.LinalgNormOrdStr(r.Ctx, h, name, o.list(), o.keepdim, o.dtype.Code()))
	}
	p := torch.ScalarOf(op, "ord", ord)
	r := torch.BeginRaw(op, a)
	return r.Tensor(aten.LinalgNorm(r.Ctx, h, p, o.list(), o.keepdim, o.dtype.Code()))
}
