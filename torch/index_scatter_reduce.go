package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file combine the elements that are written to the same index.

// Reduce selects how elements for the same position are combined. It is reduce
// in Python.
type Reduce string

// These are the reductions.
const (
	ReduceSum  Reduce = "sum"
	ReduceProd Reduce = "prod"
	ReduceMean Reduce = "mean"
	ReduceAmax Reduce = "amax"
	ReduceAmin Reduce = "amin"
)

// IncludeSelf includes t's own elements in the reduction. The default is true.
// It is include_self in Python.
type IncludeSelf bool

// A ScatterReduceOption is an option of [Tensor.ScatterReduce] and
// [Tensor.IndexReduce]: [IncludeSelf].
//
//gotorch:options IncludeSelf
type ScatterReduceOption interface{ scatterReduceOption() }

func readScatterReduce(op string, opts []ScatterReduceOption) bool {
	return bool(readOption(op, opts, IncludeSelf(true)))
}

type (
	reduceFunc = func(_ abi.Ctx, _ abi.Tensor, dim int64, _, _ abi.Tensor, reduce string, self bool) abi.Ret
	reduceInto = func(_ abi.Ctx, _ abi.Tensor, dim int64, _, _ abi.Tensor, reduce string, self bool) abi.Status
)

// reduced calls an operator that combines elements of src with elements of t.
func reduced(op string, f reduceFunc, t *Tensor, dim int64, index, src *Tensor, reduce Reduce,
	opts []ScatterReduceOption,
) *Tensor {
	self := readScatterReduce(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return f(cx, h, dim, i, s, string(reduce), self)
	}, t, index, src)
}

// reducedInPlace is reduced for an operator that modifies t.
func reducedInPlace(op string, f reduceInto, t *Tensor, dim int64, index, src *Tensor, reduce Reduce,
	opts []ScatterReduceOption,
) *Tensor {
	self := readScatterReduce(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return f(cx, h, dim, i, s, string(reduce), self)
	}, t, index, src)
}

// ScatterReduce is like [Tensor.Scatter], but combines the elements for the
// same position with the given reduction. t's own elements take part unless
// IncludeSelf(false) is given. It panics as Scatter does, and with ErrValue for
// an unknown reduction. Follows torch.scatter_reduce.
func (t *Tensor) ScatterReduce(dim int64, index, src *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reduced("ScatterReduce(self, index, src)", aten.ScatterReduceTwo, t, dim, index, src, reduce, opts)
}

// ScatterReduce_ is the in-place form of ScatterReduce. It modifies t, which
// keeps its shape and dtype, and returns t. It panics as ScatterReduce does,
// and with ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.scatter_reduce_.
func (t *Tensor) ScatterReduce_(dim int64, index, src *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reducedInPlace("ScatterReduce_(self, index, src)", aten.ScatterReduce_Two, t, dim, index, src, reduce, opts)
}

// IndexReduce is like [Tensor.IndexAdd], but combines the slices for the same
// position with the given reduction. t's own slices take part unless
// IncludeSelf(false) is given. It panics as IndexAdd does, and with ErrValue
// for an unknown reduction or ReduceSum; use IndexAdd for sums.
// Follows torch.index_reduce.
func (t *Tensor) IndexReduce(dim int64, index, source *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reduced("IndexReduce(self, index, source)", aten.IndexReduce, t, dim, index, source, reduce, opts)
}

// IndexReduce_ is the in-place form of IndexReduce. It modifies t, which keeps
// its shape and dtype, and returns t. It panics as IndexReduce does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.index_reduce_.
func (t *Tensor) IndexReduce_(dim int64, index, source *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reducedInPlace("IndexReduce_(self, index, source)", aten.IndexReduce_, t, dim, index, source, reduce, opts)
}

// Accumulate adds to existing elements instead of replacing them. The default
// is false. It is accumulate in Python.
type Accumulate bool

// A PutOption is an option of [Tensor.Put] and [Tensor.IndexPut]: [Accumulate].
//
//gotorch:options Accumulate
type PutOption interface{ putOption() }

func readPut(op string, opts []PutOption) (accumulate bool) {
	return bool(readOption(op, opts, Accumulate(false)))
}

// Put returns a copy of t in which source's elements replace the elements of the
// flattened t at index, or are added to them with [Accumulate]. Negative indices count
// from the end. It panics with ErrIndex for an index out of range, with ErrShape unless
// index and source have the same number of elements, and with ErrDType if t and source
// differ in dtype or for indices that are not int64. Follows torch.put.
func (t *Tensor) Put(index, source *Tensor, opts ...PutOption) *Tensor {
	const op = "Put(self, index, source)"
	accumulate := readPut(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.Put(cx, h, i, s, accumulate)
	}, t, index, source)
}

// Put_ is the in-place form of Put. It modifies t, which keeps its shape and
// dtype, and returns t. It panics as Put does, and with ErrAutograd for a leaf
// that requires gradients, outside NoGrad. Follows Tensor.put_.
func (t *Tensor) Put_(index, source *Tensor, opts ...PutOption) *Tensor {
	const op = "Put_(self, index, source)"
	accumulate := readPut(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.Put_(cx, h, i, s, accumulate)
	}, t, index, source)
}
