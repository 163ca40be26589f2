package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Reductions that add up, multiply or decide. Without [Dim] or [Dims] all of
// them reduce every dimension. All panic with ErrIndex for a dimension that is
// not there, with ErrShape for one that is given twice, and with ErrNil for a
// nil option. Results are new tensors.

// everyDim spells out missing dimensions for operators that take
// an empty list at its word.
func everyDim(t *Tensor, dims []int64) []int64 {
	if len(dims) > 0 {
		return dims
	}
	if n := t.Dim(); n <= int64(len(firstDims)) {
		return firstDims[:n]
	}
	return make([]int64, t.Dim()) // more than libtorch reduces at once
}

// firstDims are the dimensions of a tensor that has as many as libtorch reduces.
var firstDims = func() (all [64]int64) {
	for i := range all {
		all[i] = int64(i)
	}
	return all
}()

// Sum returns the sum of all elements, a tensor of no dimensions, or with [Dim]
// or [Dims] the sums over those. Integers and bools add up in int64 unless a
// [DType] is given, which is that of the sums and of the result. The result is
// a new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrIndex
// for a dimension that is not there with ErrShape for one given twice, and with
// ErrDType for a DType of integers if gradients are recorded.
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

// SumToSize sums t down to a shape that could be broadcast to t's; it undoes a
// broadcast. If nothing is to be summed the result shares t's memory. The
// result is owned by the innermost scope, else by the collector. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, and with ErrShape if
// the shape cannot be broadcast to t's. Follows Tensor.sum_to_size.
func (t *Tensor) SumToSize(shape ...int64) *Tensor {
	return call("SumToSize(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.SumToSize(cx, h, shape)
	})
}

// NaNSum is [Tensor.Sum] with NaN counted as 0. The result is a new tensor,
// owned by the innermost scope, else by the collector. It panics as Sum does,
// and with ErrDType for complex elements. Follows torch.nansum.
func (t *Tensor) NaNSum(opts ...ReduceOption) *Tensor {
	const op = "NaNSum(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Nansum(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// Mean returns the mean of all elements, a tensor of no dimensions, or with
// [Dim] or [Dims] the means over those; NaN where there are no elements. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrDType for integers and bools unless a floating-point [DType] is given,
// with ErrIndex for a dimension that is not there, and with ErrShape for one
// given twice. Follows torch.mean.
func (t *Tensor) Mean(opts ...ReduceOption) *Tensor {
	const op = "Mean(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	if o.whole() {
		return r.Tensor(aten.Mean(r.Ctx, h, o.dtype))
	}
	return r.Tensor(aten.MeanDim(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// NaNMean is [Tensor.Mean] over the elements that are not NaN. The result is a
// new tensor, owned by the innermost scope, else by the collector. It panics as
// Mean does. Follows torch.nanmean.
func (t *Tensor) NaNMean(opts ...ReduceOption) *Tensor {
	const op = "NaNMean(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Nanmean(r.Ctx, h, o.list(), o.keepdim, o.dtype))
}

// Prod returns the product of all elements, a tensor of no dimensions, or with
// [Dim] the products over that one. Integers and bools multiply in int64 unless
// a [DType] is given. The result is a new tensor, owned by the innermost scope,
// else by the collector. It panics with ErrNil or ErrClosed for a tensor that
// is nil or closed, with ErrIndex if there is no such dimension, with ErrValue
// for [KeepDim] without a Dim, and with ErrDType for a DType of integers if
// gradients are recorded. Follows torch.prod.
func (t *Tensor) Prod(opts ...ProdOption) *Tensor {
	const op = "Prod(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	if o.keepdim && !o.one {
		panic(argError(op, ErrValue, "opts", "KeepDim without a Dim"))
	}
	r := BeginRaw(op, t)
	if !o.one {
		return r.Tensor(aten.Prod(r.Ctx, h, o.dtype))
	}
	return r.Tensor(aten.ProdDimInt(r.Ctx, h, o.dim[0], o.keepdim, o.dtype))
}

// LogSumExp returns log(sum(exp(t))) over all elements, or over [Dim] or
// [Dims], computed so that large elements do not overflow. Integers become the
// default float type. The result is a new tensor, owned by the innermost scope,
// else by the collector. It panics with ErrNil or ErrClosed for a tensor that
// is nil or closed, with ErrIndex for a dimension that is not there, and with
// ErrShape for one given twice. Follows torch.logsumexp.
func (t *Tensor) LogSumExp(opts ...DimsOption) *Tensor {
	const op = "LogSumExp(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	dims := everyDim(t, o.list())
	r := BeginRaw(op, t)
	return r.Tensor(aten.Logsumexp(r.Ctx, h, dims, o.keepdim))
}

// All returns whether no element is zero or false, over all elements or over
// [Dim] or [Dims], as bools; true where there are no elements. The result is a
// new tensor, owned by the innermost scope, else by the collector. It panics
// with ErrNil or ErrClosed for a tensor that is nil or closed, with ErrIndex
// for a dimension that is not there, and with ErrShape for one given twice.
// Follows torch.all.
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

// Any returns whether some element is not zero or false, over all elements or
// over [Dim] or [Dims], as bools; false where there are no elements. The result
// is a new tensor, owned by the innermost scope, else by the collector. It
// panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrIndex for a dimension that is not there, and with ErrShape for one given
// twice. Follows torch.any.
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

// CountNonzero returns how many elements are not zero, of all or over [Dim] or
// [Dims]: an int64 tensor. The result is a new tensor, owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, with ErrIndex for a dimension that is not there, and
// with ErrShape for one given twice. Follows torch.count_nonzero.
func (t *Tensor) CountNonzero(opts ...CountOption) *Tensor {
	const op = "CountNonzero(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.CountNonzeroDimIntList(r.Ctx, h, o.list()))
}
