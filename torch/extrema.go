package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Largest, smallest, middle and most frequent elements. The functions that
// return indices give those of one such element where several are equal;
// gradients flow to the element that the index names.

// Max returns the largest element, a tensor of no dimensions; NaN if any
// element is. It panics with ErrShape if there are no elements. Follows
// torch.max.
func (t *Tensor) Max() *Tensor { return unary("Max(self)", aten.Max, t) }

// Min returns the smallest element, a tensor of no dimensions; NaN if any
// element is. It panics as Max does if there are no elements. Follows
// torch.min.
func (t *Tensor) Min() *Tensor { return unary("Min(self)", aten.Min, t) }

// MaxDim returns the largest elements along dim and their int64 indices. It
// panics with ErrIndex if there is no such dimension or its size is 0. Follows
// torch.max.
func (t *Tensor) MaxDim(dim int64, keepdim bool) (values, indices *Tensor) {
	return pair("MaxDim(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.MaxDim(cx, h, dim, keepdim)
	})
}

// MinDim returns the smallest elements along dim and their int64 indices. It
// panics with ErrIndex if there is no such dimension or its size is 0. Follows
// torch.min.
func (t *Tensor) MinDim(dim int64, keepdim bool) (values, indices *Tensor) {
	return pair("MinDim(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.MinDim(cx, h, dim, keepdim)
	})
}

// Amax returns the largest elements over some dimensions, nil for all. Unlike
// MaxDim it shares the gradient evenly among equal largest elements. It panics
// with ErrIndex for a dimension that is not there or of size 0. Follows
// torch.amax.
func (t *Tensor) Amax(dims []int64, keepdim bool) *Tensor {
	return call("Amax(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Amax(cx, h, dims, keepdim) })
}

// Amin returns the smallest elements over some dimensions, nil for all, and
// shares the gradient as Amax does. Follows torch.amin.
func (t *Tensor) Amin(dims []int64, keepdim bool) *Tensor {
	return call("Amin(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Amin(cx, h, dims, keepdim) })
}

// Aminmax returns the smallest and the largest element of all in one pass.
// libtorch has no gradient for it: Backward through it panics. Follows
// torch.aminmax.
func (t *Tensor) Aminmax() (smallest, largest *Tensor) {
	return pair("Aminmax(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Aminmax(cx, h, nil, false)
	})
}

// AminmaxDim returns the smallest and the largest elements along dim in one
// pass, without gradients as Aminmax. Follows torch.aminmax.
func (t *Tensor) AminmaxDim(dim int64, keepdim bool) (smallest, largest *Tensor) {
	return pair("AminmaxDim(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Aminmax(cx, h, &dim, keepdim)
	})
}

// Argmax returns the index of the largest element of the flattened tensor, as
// int64. It panics with ErrIndex if there are no elements. Follows
// torch.argmax.
func (t *Tensor) Argmax() *Tensor {
	return call("Argmax(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Argmax(cx, h, nil, false) })
}

// ArgmaxDim returns the indices of the largest elements along dim, as int64.
// It panics with ErrIndex if there is no such dimension or its size is 0.
// Follows torch.argmax.
func (t *Tensor) ArgmaxDim(dim int64, keepdim bool) *Tensor {
	return call("ArgmaxDim(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Argmax(cx, h, &dim, keepdim) })
}

// Argmin returns the index of the smallest element of the flattened tensor, as
// int64. It panics with ErrIndex if there are no elements. Follows
// torch.argmin.
func (t *Tensor) Argmin() *Tensor {
	return call("Argmin(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Argmin(cx, h, nil, false) })
}

// ArgminDim returns the indices of the smallest elements along dim, as int64.
// It panics with ErrIndex if there is no such dimension or its size is 0.
// Follows torch.argmin.
func (t *Tensor) ArgminDim(dim int64, keepdim bool) *Tensor {
	return call("ArgminDim(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Argmin(cx, h, &dim, keepdim) })
}

// Median returns the median of all elements, the lower one of two in the
// middle; NaN if any element is. Follows torch.median.
func (t *Tensor) Median() *Tensor { return unary("Median(self)", aten.Median, t) }

// MedianDim returns the medians along dim, the lower one of two in the middle,
// and their int64 indices. It panics with ErrIndex if there is no such
// dimension or its size is 0. Follows torch.median.
func (t *Tensor) MedianDim(dim int64, keepdim bool) (values, indices *Tensor) {
	return pair("MedianDim(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.MedianDim(cx, h, dim, keepdim)
	})
}

// NaNMedian returns the median of the elements that are not NaN. Follows
// torch.nanmedian.
func (t *Tensor) NaNMedian() *Tensor { return unary("NaNMedian(self)", aten.Nanmedian, t) }

// NaNMedianDim is MedianDim over the elements that are not NaN. Follows
// torch.nanmedian.
func (t *Tensor) NaNMedianDim(dim int64, keepdim bool) (values, indices *Tensor) {
	return pair("NaNMedianDim(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.NanmedianDim(cx, h, dim, keepdim)
	})
}

// Mode returns the most frequent elements along dim, the smallest of equally
// frequent ones, and the int64 index of one occurrence each. It panics with
// ErrIndex if there is no such dimension or its size is 0. Follows torch.mode.
func (t *Tensor) Mode(dim int64, keepdim bool) (values, indices *Tensor) {
	return pair("Mode(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Mode(cx, h, dim, keepdim)
	})
}

// Kthvalue returns the k-th smallest elements along dim, counted from 1, and
// their int64 indices. It panics with ErrIndex if k is out of range or there is
// no such dimension. Follows torch.kthvalue.
func (t *Tensor) Kthvalue(k, dim int64, keepdim bool) (values, indices *Tensor) {
	return pair("Kthvalue(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Kthvalue(cx, h, k, dim, keepdim)
	})
}
