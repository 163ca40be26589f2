package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Writing through tensors of indices that combines what is written, under the
// rules of the other such functions.

// Reduce says how elements for one place are combined, reduce in Python, where it
// is always given.
type Reduce string

// How elements for one place are combined.
const (
	ReduceSum  Reduce = "sum"
	ReduceProd Reduce = "prod"
	ReduceMean Reduce = "mean"
	ReduceAmax Reduce = "amax"
	ReduceAmin Reduce = "amin"
)

// IncludeSelf says whether what is there counts among the elements for its place.
// include_self in Python, True unless given.
type IncludeSelf bool

// A ScatterReduceOption says what is combined: [IncludeSelf].
type ScatterReduceOption interface{ scatterReduceOption() }

func (IncludeSelf) scatterReduceOption() {}

func readScatterReduce(op string, opts []ScatterReduceOption) bool {
	self := true
	for _, o := range opts {
		switch o := o.(type) {
		case IncludeSelf:
			self = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return self
}

// ScatterReduce is Scatter with the elements for one place combined as reduce
// says, what is there included unless IncludeSelf(false) is given. It panics with
// ErrValue for another reduction. The result is a new tensor. Follows
// torch.scatter_reduce.
func (t *Tensor) ScatterReduce(dim int64, index, src *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	const op = "ScatterReduce(self, index, src)"
	self := readScatterReduce(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.ScatterReduceTwo(cx, h, dim, i, s, string(reduce), self)
	}, t, index, src)
}

// ScatterReduce_ is ScatterReduce in place. Follows Tensor.scatter_reduce_.
func (t *Tensor) ScatterReduce_(dim int64, index, src *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	const op = "ScatterReduce_(self, index, src)"
	self := readScatterReduce(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.ScatterReduce_Two(cx, h, dim, i, s, string(reduce), self)
	}, t, index, src)
}

// IndexReduce is IndexAdd with the slices for one place combined as reduce says,
// what is there included unless IncludeSelf(false) is given. It panics with
// ErrValue for another reduction, ReduceSum too, which is IndexAdd. The result is
// a new tensor. Follows torch.index_reduce.
func (t *Tensor) IndexReduce(dim int64, index, source *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	const op = "IndexReduce(self, index, source)"
	self := readScatterReduce(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.IndexReduce(cx, h, dim, i, s, string(reduce), self)
	}, t, index, source)
}

// IndexReduce_ is IndexReduce in place. Follows Tensor.index_reduce_.
func (t *Tensor) IndexReduce_(dim int64, index, source *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	const op = "IndexReduce_(self, index, source)"
	self := readScatterReduce(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.IndexReduce_(cx, h, dim, i, s, string(reduce), self)
	}, t, index, source)
}

// Accumulate adds to what is there instead of replacing it. accumulate in
// Python, False unless given.
type Accumulate bool

// A PutOption says how elements are put: [Accumulate].
type PutOption interface{ putOption() }

func (Accumulate) putOption() {}

func readPut(op string, opts []PutOption) (accumulate bool) {
	for _, o := range opts {
		switch o := o.(type) {
		case Accumulate:
			accumulate = bool(o)
		default:
			panic(badOption(op, o))
		}
	}
	return accumulate
}

// Put returns a copy of t in which the elements of the flattened tensor at index
// are replaced by source's, or, with [Accumulate], have them added; negative
// indices count from the end. Follows torch.put.
func (t *Tensor) Put(index, source *Tensor, opts ...PutOption) *Tensor {
	const op = "Put(self, index, source)"
	accumulate := readPut(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.Put(cx, h, i, s, accumulate)
	}, t, index, source)
}

// Put_ is Put in place. Follows Tensor.put_.
func (t *Tensor) Put_(index, source *Tensor, opts ...PutOption) *Tensor {
	const op = "Put_(self, index, source)"
	accumulate := readPut(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.Put_(cx, h, i, s, accumulate)
	}, t, index, source)
}
