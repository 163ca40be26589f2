package torch

import "github.com/gotorch/gotorch/cgotorch/aten"

// Places in sorted sequences.

// Right finds the place behind equal elements instead of the one before them.
// right in Python, False unless given.
type Right bool

// OutInt32 makes the places int32 instead of int64. out_int32 in Python, False
// unless given.
type OutInt32 bool

type sorter struct{ t *Tensor }

// Sorter gives the int64 indices that sort a sequence which is not sorted
// itself, as [Tensor.ArgSort] returns them. sorter in Python, None unless given.
func Sorter(indices *Tensor) SearchOption { return sorter{indices} }

// A BucketizeOption says what is found: [Right], [OutInt32].
//
//gotorch:options Right OutInt32
type BucketizeOption interface{ bucketizeOption() }

// A SearchOption says what is found in what: [Right], [OutInt32], [Sorter].
//
//gotorch:options Right OutInt32 sorter
type SearchOption interface{ searchOption() }

// SearchSorted returns, as int64 in values' shape, where each value would be
// inserted into the last dimension of an ascending tensor: before equal
// elements, or with Right(true) behind them. The other dimensions of both
// agree, unless sorted is a vector. The result is a new tensor, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, and with ErrShape otherwise.
// Follows torch.searchsorted.
func SearchSorted(sorted, values *Tensor, opts ...SearchOption) *Tensor {
	const op = "SearchSorted(sorted, values, sorter)"
	s, v := sorted.handle(op, 0), values.handle(op, 1)
	var right, int32s bool
	var by *Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case Right:
			right = bool(o)
		case OutInt32:
			int32s = bool(o)
		case sorter:
			by = unseen(o.t)
		default:
			panic(badOption(op, o))
		}
	}
	h := by.OptionalHandleFor(op, 2)
	r := BeginRaw(op, sorted, values, by)
	return r.Tensor(aten.SearchsortedTensor(r.Ctx, s, v, int32s, right, nil, h))
}

// Bucketize returns, as int64 in values' shape, into which interval between the
// ascending boundaries, a vector, each value falls. A value on a boundary
// belongs to the interval below it, or with Right(true) to the one above. The
// result is a new tensor, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, and
// with ErrShape unless boundaries is a vector. Follows torch.bucketize.
func Bucketize(values, boundaries *Tensor, opts ...BucketizeOption) *Tensor {
	const op = "Bucketize(values, boundaries)"
	v, b := values.handle(op, 0), boundaries.handle(op, 1)
	var right, int32s bool
	for _, o := range opts {
		switch o := o.(type) {
		case Right:
			right = bool(o)
		case OutInt32:
			int32s = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	r := BeginRaw(op, values, boundaries)
	return r.Tensor(aten.BucketizeTensor(r.Ctx, v, b, int32s, right))
}
