package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file are reductions. Without [Dim] or [Dims] they reduce all
// dimensions. All panic with ErrIndex for a dimension out of range, with ErrShape for a
// repeated one, and with ErrNil for a nil option.

// everyDim returns dims, or all dimensions of t if dims is empty. It is for
// operators that reduce nothing for an empty list.
func everyDim(t *Tensor, dims []int64) []int64 {
	if len(dims) > 0 {
		return dims
	}
	if n := t.Dim(); n <= int64(len(firstDims)) {
		return firstDims[:n]
	}
	return make([]int64, t.Dim()) // libtorch reports that it cannot reduce more than 64 dimensions
}

// firstDims holds the numbers 0 to 63. libtorch reduces at most 64 dimensions.
var firstDims = func() (all [64]int64) {
	for i := range all {
		all[i] = int64(i)
	}
	return all
}()

// Sum returns the sum of all elements as a scalar, or with [Dim] or [Dims] the
// sums over those dimensions. Integers and bools are summed as Int64 unless a
// [DType] is given, which is the dtype of the sums and the result. It panics
// with ErrIndex for a dimension out of range, with ErrShape for a repeated one,
// and with ErrDType for an integer DType if gradients are recorded.
// Follows torch.sum.
//
//	x.Sum()
//	x.Sum(torch.Dim(1), torch.KeepDim(true))
//	x.Sum(torch.Dims{0, -1}, torch.Float64)
func (t *Tensor) Sum(opts ...ReduceOption) *Tensor {
	const op = "Sum(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	if o.whole() {
		return r.Tensor(aten.Sum(r.Ctx, h, o.dtype))
	}
	return r.Tensor(aten.SumDimIntList(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// SumToSize sums t to a shape that broadcasts to t's, which undoes a broadcast.
// If nothing is summed the result shares t's memory. It panics with ErrShape if
// the shape does not broadcast to t's. Follows Tensor.sum_to_size.
func (t *Tensor) SumToSize(shape ...int64) *Tensor {
	return call("SumToSize(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.SumToSize(cx, h, shape)
	})
}

// NaNSum is [Tensor.Sum] with NaN counted as 0. It panics as Sum does, and with
// ErrDType for complex numbers. Follows torch.nansum.
func (t *Tensor) NaNSum(opts ...ReduceOption) *Tensor {
	const op = "NaNSum(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Nansum(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// Mean returns the mean of all elements as a scalar, or with [Dim] or [Dims]
// the means over those dimensions. The mean of no elements is NaN. It panics
// with ErrDType for integers and bools unless a floating-point [DType] is
// given, with ErrIndex for a dimension out of range, and with ErrShape for a
// repeated one. Follows torch.mean.
func (t *Tensor) Mean(opts ...ReduceOption) *Tensor {
	const op = "Mean(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	if o.whole() {
		return r.Tensor(aten.Mean(r.Ctx, h, o.dtype))
	}
	return r.Tensor(aten.MeanDim(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// NaNMean is [Tensor.Mean] over the elements that are not NaN. It panics as
// Mean does. Follows torch.nanmean.
func (t *Tensor) NaNMean(opts ...ReduceOption) *Tensor {
	const op = "NaNMean(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Nanmean(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// Prod returns the product of all elements as a scalar, or with [Dim] the
// products over that dimension. Integers and bools are multiplied as Int64
// unless a [DType] is given. It panics with ErrIndex for a dimension out of
// range, with ErrValue for [KeepDim] without a Dim, and with ErrDType for an
// integer DType if gradients are recorded. Follows torch.prod.
func (t *Tensor) Prod(opts ...ProdOption) *Tensor {
	const op = "Prod(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	if o.keepdim && !o.one {
		panic(argError(op, ErrValue, "opts", "KeepDim needs a Dim"))
	}
	r := BeginRaw(op, t)
	if !o.one {
		return r.Tensor(aten.Prod(r.Ctx, h, o.dtype))
	}
	return r.Tensor(aten.ProdDimInt(r.Ctx, h, o.dim[0], o.keepdim, o.dtype))
}

// LogSumExp returns log(sum(exp(t))) over all elements, or over [Dim] or
// [Dims], without overflow for large elements. Integers become the default
// float type. It panics with ErrIndex for a dimension out of range, and with
// ErrShape for a repeated one. Follows torch.logsumexp.
func (t *Tensor) LogSumExp(opts ...DimsOption) *Tensor {
	const op = "LogSumExp(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	dims := everyDim(t, o.list())
	r := BeginRaw(op, t)
	return r.Tensor(aten.Logsumexp(r.Ctx, h, dims, o.keepdim))
}

// All is true if all elements are nonzero or true, over all dimensions or over
// [Dim] or [Dims]. It is true if there are no elements. The result is Bool. It
// panics with ErrIndex for a dimension out of range, and with ErrShape for a
// repeated one. Follows torch.all.
func (t *Tensor) All(opts ...DimsOption) *Tensor {
	const op = "All(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	if o.whole() {
		r := BeginRaw(op, t)
		return r.Tensor(aten.All(r.Ctx, h))
	}
	dims := everyDim(t, o.list())
	r := BeginRaw(op, t)
	return r.Tensor(aten.AllDims(r.Ctx, h, dims, o.keepdim))
}

// Any is true if any element is nonzero or true, over all dimensions or over
// [Dim] or [Dims]. It is false if there are no elements. The result is Bool. It
// panics with ErrIndex for a dimension out of range, and with ErrShape for a
// repeated one. Follows torch.any.
func (t *Tensor) Any(opts ...DimsOption) *Tensor {
	const op = "Any(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	if o.whole() {
		r := BeginRaw(op, t)
		return r.Tensor(aten.Any(r.Ctx, h))
	}
	dims := everyDim(t, o.list())
	r := BeginRaw(op, t)
	return r.Tensor(aten.AnyDims(r.Ctx, h, dims, o.keepdim))
}

// CountNonzero returns the number of nonzero elements, over all dimensions or
// over [Dim] or [Dims], as Int64. It panics with ErrIndex for a dimension out
// of range, and with ErrShape for a repeated one. Follows torch.count_nonzero.
func (t *Tensor) CountNonzero(opts ...CountOption) *Tensor {
	const op = "CountNonzero(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.CountNonzeroDimIntList(r.Ctx, h, o.list()))
}
