package sparse

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/operand"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// These are options of package torch, under the same names.
type (
	// Alpha is the factor of a product; the default is 1.
	Alpha = torch.Alpha
	// Beta is the factor of the tensor that a product is added to; the default is 1.
	Beta = torch.Beta
	// Dim is the dimension to sum over; a negative one counts from the end.
	Dim = torch.Dim
	// Dims are the dimensions to sum over, for example Dims{0, -1}.
	Dims = torch.Dims
)

// Mm returns the product of two matrices, at least one of them sparse. The product is
// sparse if both are, and dense otherwise. Gradients flow to both. Mm panics with ErrNil
// or ErrClosed for a nil or closed tensor, with ErrShape if the shapes do not match, and
// with ErrDType if the dtypes differ. Follows torch.sparse.mm.
func Mm(mat1, mat2 *torch.Tensor) *torch.Tensor {
	return operand.Binary("sparse.Mm(mat1, mat2)", aten.UnderSparseMm, mat1, mat2)
}

// MmReduce is the product of a SparseCSR and a dense matrix in which the products of
// elements are reduced by sum, mean, amax or amin. It panics like Mm, and with ErrValue
// for any other operation. Follows torch.sparse.mm with reduce.
func MmReduce(mat1, mat2 *torch.Tensor, reduce torch.Reduce) *torch.Tensor {
	return operand.Binary("sparse.MmReduce(mat1, mat2)", func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.UnderSparseMmReduce(cx, a, b, string(reduce))
	}, mat1, mat2)
}

// Addmm returns [Beta] * mat + [Alpha] * mat1 @ mat2 for a sparse mat1 and dense mat and
// mat2. Gradients flow to all three. It panics like Mm. Follows torch.sparse.addmm.
func Addmm(mat, mat1, mat2 *torch.Tensor, opts ...torch.AddmmOption) *torch.Tensor {
	return addmm("sparse.Addmm(mat, mat1, mat2)", aten.UnderSparseAddmm, mat, mat1, mat2, opts)
}

// SampledAddmm returns [Beta] * input + [Alpha] * mat1 @ mat2, computed only at the
// stored elements of input, which is SparseCSR; mat1 and mat2 are dense. It panics with
// ErrNil or ErrClosed for a nil or closed tensor, with ErrShape if the shapes do not
// match, with ErrDType if the dtypes differ, and with ErrRuntime or ErrNotImplemented for
// any other layout. Follows torch.sparse.sampled_addmm.
func SampledAddmm(input, mat1, mat2 *torch.Tensor, opts ...torch.AddmmOption) *torch.Tensor {
	return addmm("sparse.SampledAddmm(input, mat1, mat2)", aten.SparseSampledAddmm, input, mat1, mat2, opts)
}

func addmm(op string, f func(cx abi.Ctx, a, b, c abi.Tensor, beta, alpha abi.Scalar) abi.Ret,
	mat, mat1, mat2 *torch.Tensor, opts []torch.AddmmOption,
) *torch.Tensor {
	b, a := opt.Read2(op, opts, Beta(1), Alpha(1))
	beta, alpha := operand.Whole(float64(b)), operand.Whole(float64(a))
	return operand.Ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret {
		return f(cx, a, b, c, beta, alpha)
	}, mat, mat1, mat2)
}

// Sum returns the sum of all elements of a sparse tensor, or with [Dim] or [Dims] the
// sums over those dimensions. The result is dense if all sparse dimensions are summed,
// and sparse otherwise. A DType option sets the dtype of the sums and of the result.
// Gradients flow only to the stored elements. Sum panics with ErrNil or ErrClosed for a
// nil or closed tensor, with ErrIndex for a dimension out of range, with ErrShape for a
// dimension given twice, with ErrValue for KeepDim, which is not supported, and with
// ErrRuntime or ErrNotImplemented unless the layout is SparseCOO. Follows
// torch.sparse.sum.
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
			panic(torch.NewError(op, torch.ErrValue, "KeepDim",
				"expected Dim, Dims or a DType: the dimensions are gone"))
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

// Softmax returns exp(input) scaled to a sum of 1 along dim. Elements that are not stored
// count as minus infinity. A DType option sets the dtype of the result, which is sparse.
// Softmax panics with ErrNil or ErrClosed for a nil or closed tensor, with ErrIndex for a
// dimension out of range, with ErrDType for integers, and with ErrRuntime or
// ErrNotImplemented unless the layout is SparseCOO. Follows torch.sparse.softmax.
func Softmax(input *torch.Tensor, dim int64, opts ...torch.DTypeOption) *torch.Tensor {
	return softmax("sparse.Softmax(input)", aten.UnderSparseSoftmaxInt, input, dim, opts)
}

// LogSoftmax returns the logarithm of Softmax, computed without underflow. It panics like
// Softmax. Follows torch.sparse.log_softmax.
func LogSoftmax(input *torch.Tensor, dim int64, opts ...torch.DTypeOption) *torch.Tensor {
	return softmax("sparse.LogSoftmax(input)", aten.UnderSparseLogSoftmaxInt, input, dim, opts)
}

func softmax(op string, f func(abi.Ctx, abi.Tensor, int64, int8) abi.Ret, input *torch.Tensor, dim int64,
	opts []torch.DTypeOption,
) *torch.Tensor {
	dtype := opt.Read(op, opts, torch.DType(0))
	return operand.Unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return f(cx, h, dim, dtype.Code()) }, input)
}

// Spdiags returns a sparse matrix of the given shape. Each row of diagonals becomes the
// diagonal that the same element of offsets selects: 0 is the main diagonal, and positive
// numbers are diagonals above it. offsets is an Int64 vector. layout is SparseCOO,
// SparseCSR or SparseCSC; the zero Layout means SparseCOO. Spdiags panics with ErrNil or
// ErrClosed for a nil or closed tensor, with ErrShape, ErrValue or ErrRuntime if the
// arguments do not match, and with ErrDType for offsets that are not Int64.
// Follows torch.sparse.spdiags.
func Spdiags(diagonals, offsets *torch.Tensor, shape torch.Shape, layout torch.Layout) *torch.Tensor {
	return operand.Binary("sparse.Spdiags(diagonals, offsets)", func(cx abi.Ctx, d, o abi.Tensor) abi.Ret {
		return aten.UnderSpdiags(cx, d, o, shape, layout.Code())
	}, diagonals, offsets)
}
