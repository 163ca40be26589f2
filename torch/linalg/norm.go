package linalg

import (
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
)

// MatrixNorm returns the norms of matrices: ord is a number, "fro" or "nuc"; Python's
// default is "fro". See [torch.Tensor.MatrixNorm] for ownership and panics. Follows
// torch.linalg.matrix_norm.
func MatrixNorm(a *torch.Tensor, ord any, opts ...torch.MatrixNormOption) *torch.Tensor {
	return a.MatrixNorm(ord, opts...)
}

// along holds the values of the options of norms.
type along struct {
	one     [1]int64
	dims    []int64
	single  bool
	keepdim bool
	dtype   torch.DType
}

// list returns the dimensions, or nil if none were given. The result is part of a.
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

// VectorNorm returns the norms of order ord, a number, of the vectors along [Dim] or
// [Dims], or of all elements. It is the ord-th root of the sum of abs(x) to the power of
// ord. For an infinite ord it is the largest or smallest absolute value, and for an ord
// of zero the number of nonzero elements. Python's default for ord is 2. A DType option
// sets the dtype of the sums and of the result. VectorNorm panics with ErrNil or
// ErrClosed for a nil or closed tensor, with ErrType if ord is not a number, with
// ErrIndex for a dimension out of range, with ErrShape for a dimension given twice and
// for an empty dimension if the norm of no elements is undefined, and with ErrDType for
// integers. Follows torch.linalg.vector_norm.
func VectorNorm(x *torch.Tensor, ord any, opts ...torch.ReduceOption) *torch.Tensor {
	const op = "linalg.VectorNorm(x)"
	h, p, o := x.HandleFor(op, 0), operand.Number(op, "ord", ord), readAlong(op, opts)
	r := torch.BeginRaw(op, x)
	return r.Tensor(aten.LinalgVectorNorm(r.Ctx, h, p, o.list(), o.keepdim, o.dtype.Code()))
}

// Norm returns the norms of vectors along one dimension, like VectorNorm, or of matrices
// along two, like MatrixNorm. Without [Dim] or [Dims], a must have one or two dimensions;
// with a nil ord it may have any number, and the result is the 2-norm of all elements.
// ord is a number, "fro", "nuc" or nil, which is Python's default. A DType option sets
// the dtype of the sums and of the result. Norm panics with ErrNil or ErrClosed for a nil
// or closed tensor, with ErrType for an ord of any other type, with ErrValue for an
// unknown name or number, with ErrIndex for a dimension out of range, with ErrShape for a
// dimension given twice and for an ord that does not fit the dimensions, and with
// ErrDType for integers. Follows torch.linalg.norm.
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
