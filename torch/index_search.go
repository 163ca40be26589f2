package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Right returns the position after equal elements instead of the position
// before them. The default is false. The name in Python is right.
type Right bool

// OutInt32 makes the result Int32 instead of Int64. The default is false. It is
// out_int32 in Python.
type OutInt32 bool

type sorter struct{ t *Tensor }

// Sorter gives the Int64 indices that sort the sequence, as [Tensor.ArgSort]
// returns them. Sorter(nil), the default, means that the sequence is sorted. It
// is sorter in Python.
func Sorter(indices *Tensor) SearchOption { return sorter{indices} }

// A BucketizeOption is an option of [Bucketize]: [Right] or [OutInt32].
//
//gotorch:options Right OutInt32
type BucketizeOption interface{ bucketizeOption() }

// A SearchOption is an option of [SearchSorted]: [Right], [OutInt32] or
// [Sorter].
//
//gotorch:options Right OutInt32 sorter
type SearchOption interface{ searchOption() }

// SearchSorted returns the positions at which values would be inserted into the
// ascending last dimension of sorted: before equal elements, or after them with
// Right(true). The result is Int64 in values' shape. It panics with ErrShape
// unless the other dimensions match or sorted is a vector.
// Follows torch.searchsorted.
func SearchSorted(sorted, values *Tensor, opts ...SearchOption) *Tensor {
	const op = "SearchSorted(sorted, values, sorter)"
	s, v := sorted.handle(op, 0), values.handle(op, 1)
	right, int32s, given := readOptions3(op, opts, Right(false), OutInt32(false), sorter{})
	by := unseen(given.t)
	h := by.OptionalHandleFor(op, 2)
	r := BeginRaw(op, sorted, values, by)
	return r.Tensor(aten.SearchsortedTensor(r.Ctx, s, v, bool(int32s), bool(right), nil, h))
}

// Bucketize returns, for each value, the index of its interval between the
// ascending vector boundaries, as Int64 in values' shape. A value on a boundary
// belongs to the interval below it, or above it with Right(true). It panics
// with ErrShape unless boundaries is a vector. Follows torch.bucketize.
func Bucketize(values, boundaries *Tensor, opts ...BucketizeOption) *Tensor {
	const op = "Bucketize(values, boundaries)"
	v, b := values.handle(op, 0), boundaries.handle(op, 1)
	right, int32s := readOptions2(op, opts, Right(false), OutInt32(false))
	r := BeginRaw(op, values, boundaries)
	return r.Tensor(aten.BucketizeTensor(r.Ctx, v, b, bool(int32s), bool(right)))
}
