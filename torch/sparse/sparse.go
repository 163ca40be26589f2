package sparse

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/torch"
)

// Options of package torch, under the names that they have there.
type (
	// Alpha is the factor of a product, 1 unless given.
	Alpha = torch.Alpha
	// Beta is the factor of what a product is added to, 1 unless given.
	Beta = torch.Beta
	// Dim is the dimension to add up; a negative one counts from the end.
	Dim = torch.Dim
	// Dims are the dimensions to add up, with braces: Dims{0, -1}.
	Dims = torch.Dims
)

// Mm returns the product of two matrices, one of which is sparse at least: dense
// for a dense one, and sparse if both are. Gradients flow back to both. The result
// is a new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrShape if
// the shapes do not fit, and with ErrDType if the dtypes differ.
// Follows torch.sparse.mm.
func Mm(mat1, mat2 *torch.Tensor) *torch.Tensor {
	return operand.Binary("sparse.Mm(mat1, mat2)", aten.UnderSparseMm, mat1, mat2)
}

// MmReduce is Mm of a SparseCSR and a dense matrix that takes not the sum but the
// mean, the largest or the smallest of the products: reduce is sum, mean, amax or
// amin. Owner and panics are those of Mm, and it panics with ErrValue for another
// word. Follows torch.sparse.mm with reduce.
func MmReduce(mat1, mat2 *torch.Tensor, reduce torch.Reduce) *torch.Tensor {
	return operand.Binary("sparse.MmReduce(mat1, mat2)", func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.UnderSparseMmReduce(cx, a, b, string(reduce))
	}, mat1, mat2)
}

// Addmm returns [Beta] * mat + [Alpha] * mat1 @ mat2 for a sparse mat1 and dense
// mat and mat2. Gradients flow back to all. The result is a new tensor, owned by
// the innermost scope, else by the collector. It panics as Mm does.
// Follows torch.sparse.addmm.
func Addmm(mat, mat1, mat2 *torch.Tensor, opts ...torch.AddmmOption) *torch.Tensor {
	return addmm("sparse.Addmm(mat, mat1, mat2)", aten.UnderSparseAddmm, mat, mat1, mat2, opts)
}

// SampledAddmm returns [Beta] * input + [Alpha] * mat1 @ mat2 at the places of a
// SparseCSR input alone, for dense mat1 and mat2. The result is a new tensor,
// owned by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrShape if the shapes do not
// fit, with ErrDType if the dtypes differ, and with ErrRuntime or
// ErrNotImplemented for another layout. Follows torch.sparse.sampled_addmm.
func SampledAddmm(input, mat1, mat2 *torch.Tensor, opts ...torch.AddmmOption) *torch.Tensor {
	return addmm("sparse.SampledAddmm(input, mat1, mat2)", aten.SparseSampledAddmm, input, mat1, mat2, opts)
}

func addmm(op string, f func(cx abi.Ctx, a, b, c abi.Tensor, beta, alpha abi.Scalar) abi.Ret, mat, mat1, mat2 *torch.Tensor, opts []torch.AddmmOption) *torch.Tensor {
	beta, alpha := operand.Whole(1), operand.Whole(1)
	for _, o := range opts {
		switch o := o.(type) {
		case Beta:
			beta = operand.Whole(float64(o))
		case Alpha:
			alpha = operand.Whole(float64(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return operand.Ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return f(cx, a, b, c, beta, alpha) }, mat, mat1, mat2)
}

// Sum returns the sum of all elements of a sparse tensor, or with [Dim] or [Dims]
// the sums over those: a dense tensor where all sparse dimensions are added up, a
// sparse one otherwise. A DType is that of the sums and of the result. Gradients
// flow back to the elements that are there. The result is a new tensor, owned by
// the innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrIndex for a dimension that is not
// there, with ErrShape for one given twice, with ErrValue for a KeepDim, which it
// does not have, and with ErrRuntime or ErrNotImplemented unless the layout is
// SparseCOO. Follows torch.sparse.sum.
func Sum(input *torch.Tensor, opts ...torch.ReduceOption) *torch.Tensor {
	const op = "sparse.Sum(input)"
	var dims []int64
	var dtype torch.DType
	for _, o := range opts {
		switch o := o.(type) {
		case Dim:
			dims = []int64{int64(o)}
		case Dims:
			dims = o
		case torch.DType:
			dtype = o
		case torch.KeepDim:
			panic(torch.NewError(op, torch.ErrValue, "KeepDim", "expected Dim, Dims or a DType: the dimensions are gone"))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return operand.Unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		switch {
		case dtype == 0 && len(dims) == 0:
			return aten.UnderSparseSum(cx, h)
		case dtype == 0:
			return aten.UnderSparseSumDim(cx, h, dims)
		case len(dims) == 0:
			return aten.UnderSparseSumDtype(cx, h, dtype.Code())
		}
		return aten.UnderSparseSumDimDtype(cx, h, dims, dtype.Code())
	}, input)
}

// Softmax returns exp(input) scaled so that it adds up to 1 along dim, where
// elements that are not there count as minus infinity. A DType is that of the
// result. The result is a new sparse tensor, owned by the innermost scope, else by
// the collector. It panics with ErrNil or ErrClosed for a tensor that is nil or
// closed, with ErrIndex if there is no such dimension, with ErrDType for integers,
// and with ErrRuntime or ErrNotImplemented unless the layout is SparseCOO.
// Follows torch.sparse.softmax.
func Softmax(input *torch.Tensor, dim int64, opts ...torch.DTypeOption) *torch.Tensor {
	return softmax("sparse.Softmax(input)", aten.UnderSparseSoftmaxInt, input, dim, opts)
}

// LogSoftmax returns the logarithm of Softmax without underflow on the way. Owner
// and panics are those of Softmax. Follows torch.sparse.log_softmax.
func LogSoftmax(input *torch.Tensor, dim int64, opts ...torch.DTypeOption) *torch.Tensor {
	return softmax("sparse.LogSoftmax(input)", aten.UnderSparseLogSoftmaxInt, input, dim, opts)
}

func softmax(op string, f func(abi.Ctx, abi.Tensor, int64, int8) abi.Ret, input *torch.Tensor, dim int64, opts []torch.DTypeOption) *torch.Tensor {
	var dtype torch.DType
	for _, o := range opts {
		switch o := o.(type) {
		case torch.DType:
			dtype = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return operand.Unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return f(cx, h, dim, dtype.Code()) }, input)
}

// Spdiags returns a sparse matrix of the given shape with the rows of diagonals on
// the diagonals that offsets, a vector of Int64, names: 0 is the main one, and
// positive ones lie above. layout is SparseCOO, SparseCSR or SparseCSC, and the
// zero Layout is SparseCOO. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, with ErrShape, ErrValue or ErrRuntime if the parts do not
// fit, and with ErrDType for offsets that are not Int64. Follows torch.sparse.spdiags.
func Spdiags(diagonals, offsets *torch.Tensor, shape torch.Shape, layout torch.Layout) *torch.Tensor {
	return operand.Binary("sparse.Spdiags(diagonals, offsets)", func(cx abi.Ctx, d, o abi.Tensor) abi.Ret {
		return aten.UnderSpdiags(cx, d, o, shape, layout.Code())
	}, diagonals, offsets)
}
