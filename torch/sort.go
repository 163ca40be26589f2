package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Sorting and searching. NaN counts as larger than any number. Functions with a
// dimension panic with ErrIndex if there is no such one.

// Sort returns the elements sorted along dim and the int64 indices they had.
// The order of equal elements is not defined; see SortStable. Follows
// torch.sort.
func (t *Tensor) Sort(dim int64, descending bool) (values, indices *Tensor) {
	return pair("Sort(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Sort(cx, h, dim, descending)
	})
}

// SortStable is Sort with equal elements left in their order. Follows
// torch.sort with stable.
func (t *Tensor) SortStable(dim int64, descending bool) (values, indices *Tensor) {
	stable := true
	return pair("SortStable(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.SortStable(cx, h, &stable, dim, descending)
	})
}

// Argsort returns the int64 indices that sort t along dim. Follows
// torch.argsort.
func (t *Tensor) Argsort(dim int64, descending bool) *Tensor {
	return call("Argsort(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Argsort(cx, h, dim, descending) })
}

// ArgsortStable is Argsort with equal elements left in their order. Follows
// torch.argsort with stable.
func (t *Tensor) ArgsortStable(dim int64, descending bool) *Tensor {
	return call("ArgsortStable(self)", t, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ArgsortStable(cx, h, true, dim, descending)
	})
}

// Msort returns the elements sorted along the first dimension. Follows
// torch.msort.
func (t *Tensor) Msort() *Tensor { return unary("Msort(self)", aten.Msort, t) }

// Topk returns the k largest, or smallest, elements along dim in order and
// their int64 indices. It panics with ErrIndex if k is out of range. Follows
// torch.topk.
func (t *Tensor) Topk(k, dim int64, largest bool) (values, indices *Tensor) {
	return pair("Topk(self)", t, func(cx abi.Ctx, h abi.Tensor) ([2]abi.Tensor, abi.Status) {
		return aten.Topk(cx, h, k, dim, largest, true)
	})
}

// Searchsorted returns, as int64 in values' shape, where each value would be
// inserted into the last dimension of an ascending tensor: before equal
// elements, or with right after them. The other dimensions of both agree,
// unless sorted is a vector. It panics with ErrShape otherwise. Follows
// torch.searchsorted.
func Searchsorted(sorted, values *Tensor, right bool) *Tensor {
	return binary("Searchsorted(sorted, values)", func(cx abi.Ctx, s, v abi.Tensor) abi.Ret {
		return aten.SearchsortedTensor(cx, s, v, false, right, nil, 0)
	}, sorted, values)
}

// Bucketize returns, as int64 in values' shape, into which interval between the
// ascending boundaries, a vector, each value falls. A value on a boundary
// belongs to the interval below it, or with right to the one above. Follows
// torch.bucketize.
func Bucketize(values, boundaries *Tensor, right bool) *Tensor {
	return binary("Bucketize(values, boundaries)", func(cx abi.Ctx, v, b abi.Tensor) abi.Ret {
		return aten.BucketizeTensor(cx, v, b, false, right)
	}, values, boundaries)
}
