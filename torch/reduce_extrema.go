package torch

import (
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file return largest, smallest, middle and most frequent elements.
// If several elements are equal, the index is the index of one of them, and the gradient
// flows to that element.

// Max returns the largest element as a scalar, or NaN if t contains NaN. It
// panics with ErrShape if there are no elements, and with ErrDType for complex
// numbers. Follows torch.max.
func (t *Tensor) Max() *Tensor { return unary("Max(self)", aten.Max, t) }

// Min returns the smallest element as a scalar, or NaN if t contains NaN. It
// panics as Max does. Follows torch.min.
func (t *Tensor) Min() *Tensor { return unary("Min(self)", aten.Min, t) }

// alongDim is an operator with two results along one dimension.
type alongDim func(cx abi.Ctx, self abi.Tensor, dim int64, keepdim bool) ([2]abi.Tensor, abi.Status)

func (f alongDim) call(op string, t *Tensor, dim int64, keepdim bool) (values, indices *Tensor) {
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	res, st := f(r.Ctx, h, dim, keepdim)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// MaxDim returns the largest elements along dim and their int64 indices. It
// panics with ErrIndex for a dimension that is out of range or has size 0, and
// with ErrDType for complex numbers. Follows torch.max with dim.
func (t *Tensor) MaxDim(dim int64, opts ...KeepDimOption) (values, indices *Tensor) {
	const op = "MaxDim(self)"
	o := readAlong(op, opts)
	return alongDim(aten.MaxDim).call(op, t, dim, o.keepdim)
}

// MinDim returns the smallest elements along dim and their int64 indices. It
// panics with ErrIndex for a dimension that is out of range or has size 0, and
// with ErrDType for complex numbers. Follows torch.min with dim.
func (t *Tensor) MinDim(dim int64, opts ...KeepDimOption) (values, indices *Tensor) {
	const op = "MinDim(self)"
	o := readAlong(op, opts)
	return alongDim(aten.MinDim).call(op, t, dim, o.keepdim)
}

// Amax returns the largest element, or the largest elements over [Dim] or
// [Dims]. Unlike Max and MaxDim it shares the gradient evenly among equal
// largest elements. It panics with ErrIndex for a dimension out of range or of
// size 0, with ErrShape if there are no elements at all, and with ErrDType for
// complex numbers. Follows torch.amax.
func (t *Tensor) Amax(opts ...DimsOption) *Tensor {
	const op = "Amax(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Amax(r.Ctx, h, o.list(), o.keepdim))
}

// Amin is [Tensor.Amax] for the smallest elements. It panics as Amax does.
// Follows torch.amin.
func (t *Tensor) Amin(opts ...DimsOption) *Tensor {
	const op = "Amin(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Amin(r.Ctx, h, o.list(), o.keepdim))
}

// Aminmax returns the smallest and the largest element in one pass, or with [Dim] the extremes
// along that dimension. It has no gradient: Backward through it panics. It panics with ErrIndex for
// a dimension out of range, with ErrShape or ErrIndex if there are no elements, and with ErrDType
// for complex numbers. Follows torch.aminmax.
func (t *Tensor) Aminmax(opts ...DimOption) (smallest, largest *Tensor) {
	const op = "Aminmax(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	res, st := aten.Aminmax(r.Ctx, h, o.single(), o.keepdim)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// ArgMax returns the index of the largest element of the flattened tensor, or
// with [Dim] the indices of the largest elements along it, as Int64. It panics
// with ErrIndex for a dimension out of range or if there are no elements, and
// with ErrDType for bools and complex numbers. Follows torch.argmax.
func (t *Tensor) ArgMax(opts ...DimOption) *Tensor {
	const op = "ArgMax(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Argmax(r.Ctx, h, o.single(), o.keepdim))
}

// ArgMin is [Tensor.ArgMax] for the smallest elements. It panics as ArgMax
// does. Follows torch.argmin.
func (t *Tensor) ArgMin(opts ...DimOption) *Tensor {
	const op = "ArgMin(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Argmin(r.Ctx, h, o.single(), o.keepdim))
}

// Median returns the median of all elements, or NaN if t contains NaN. Of two
// elements in the middle, it returns the lower. It panics with ErrDType for
// bools and complex numbers. Follows torch.median.
func (t *Tensor) Median() *Tensor { return unary("Median(self)", aten.Median, t) }

// MedianDim returns the medians along dim and their int64 indices. Of two
// elements in the middle, it returns the lower. It panics with ErrIndex for a
// dimension that is out of range or has size 0, and with ErrDType for complex
// numbers. Follows torch.median with dim.
func (t *Tensor) MedianDim(dim int64, opts ...KeepDimOption) (values, indices *Tensor) {
	const op = "MedianDim(self)"
	o := readAlong(op, opts)
	return alongDim(aten.MedianDim).median(op, t, dim, o.keepdim)
}

// median calls f on t. If elements of t share memory, as in an expanded tensor, it
// calls f on a copy, because libtorch would read past the end of t's memory.
func (f alongDim) median(op string, t *Tensor, dim int64, keepdim bool) (values, indices *Tensor) {
	if i := t.info(op); i.IsContiguous || Layout(i.Layout+1) != Strided || !slices.Contains(t.Stride(), 0) {
		return f.call(op, t, dim, keepdim)
	}
	c := call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Contiguous(cx, h, ContiguousFormat.Code()) })
	defer func() { _ = c.Close() }()
	return f.call(op, c, dim, keepdim)
}

// NaNMedian returns the median of the elements that are not NaN. It panics with
// ErrDType for bools and complex numbers. Follows torch.nanmedian.
func (t *Tensor) NaNMedian() *Tensor { return unary("NaNMedian(self)", aten.Nanmedian, t) }

// NaNMedianDim is [Tensor.MedianDim] over the elements that are not NaN. It
// panics as MedianDim does. Follows torch.nanmedian with dim.
func (t *Tensor) NaNMedianDim(dim int64, opts ...KeepDimOption) (values, indices *Tensor) {
	const op = "NaNMedianDim(self)"
	o := readAlong(op, opts)
	return alongDim(aten.NanmedianDim).median(op, t, dim, o.keepdim)
}

// Mode returns the most frequent elements along dim and, for each, the Int64 index of one
// occurrence. Of equally frequent elements, it returns the smallest. It panics with
// ErrIndex for a dimension that is out of range or has size 0, and with ErrDType for
// complex numbers. Follows torch.mode, where dim defaults to -1.
func (t *Tensor) Mode(dim int64, opts ...KeepDimOption) (values, indices *Tensor) {
	const op = "Mode(self)"
	o := readAlong(op, opts)
	return alongDim(aten.Mode).call(op, t, dim, o.keepdim)
}

// KthValue returns the k-th smallest elements along [Dim] (default the last),
// counted from 1, and their Int64 indices. It panics with ErrIndex if k or the
// dimension is out of range, and with ErrDType for complex numbers.
// Follows torch.kthvalue.
func (t *Tensor) KthValue(k int64, opts ...DimOption) (values, indices *Tensor) {
	const op = "KthValue(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	res, st := aten.Kthvalue(r.Ctx, h, k, o.or(-1), o.keepdim)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}
