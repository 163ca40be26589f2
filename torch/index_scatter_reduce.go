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
//
//gotorch:options IncludeSelf
type ScatterReduceOption interface{ scatterReduceOption() }

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

type (
	reduceFunc = func(_ abi.Ctx, _ abi.Tensor, dim int64, _, _ abi.Tensor, reduce string, self bool) abi.Ret
	reduceInto = func(_ abi.Ctx, _ abi.Tensor, dim int64, _, _ abi.Tensor, reduce string, self bool) abi.Status
)

// reduced calls an operator that combines elements of src with those of t.
func reduced(op string, f reduceFunc, t *Tensor, dim int64, index, src *Tensor, reduce Reduce, opts []ScatterReduceOption) *Tensor {
	self := readScatterReduce(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return f(cx, h, dim, i, s, string(reduce), self)
	}, t, index, src)
}

// reducedInPlace is reduced for an operator that changes t.
func reducedInPlace(op string, f reduceInto, t *Tensor, dim int64, index, src *Tensor, reduce Reduce, opts []ScatterReduceOption) *Tensor {
	self := readScatterReduce(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return f(cx, h, dim, i, s, string(reduce), self)
	}, t, index, src)
}

// ScatterReduce is Scatter with the elements for one place combined as reduce
// says, what is there included unless IncludeSelf(false) is given. The result
// is a new tensor, owned by the innermost scope, else by the collector. It
// panics as Scatter does, and with ErrValue for another reduction.
// Follows torch.scatter_reduce.
func (t *Tensor) ScatterReduce(dim int64, index, src *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reduced("ScatterReduce(self, index, src)", aten.ScatterReduceTwo, t, dim, index, src, reduce, opts)
}

// ScatterReduce_ is ScatterReduce in place: it changes t, which keeps its shape
// and dtype, and returns t. It panics as ScatterReduce does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.scatter_reduce_.
func (t *Tensor) ScatterReduce_(dim int64, index, src *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reducedInPlace("ScatterReduce_(self, index, src)", aten.ScatterReduce_Two, t, dim, index, src, reduce, opts)
}

// IndexReduce is IndexAdd with the slices for one place combined as reduce
// says, what is there included unless IncludeSelf(false) is given. The result
// is a new tensor, owned by the innermost scope, else by the collector. It
// panics as IndexAdd does, and with ErrValue for another reduction, ReduceSum
// too, which is IndexAdd. Follows torch.index_reduce.
func (t *Tensor) IndexReduce(dim int64, index, source *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reduced("IndexReduce(self, index, source)", aten.IndexReduce, t, dim, index, source, reduce, opts)
}

// IndexReduce_ is IndexReduce in place: it changes t, which keeps its shape and
// dtype, and returns t. It panics as IndexReduce does, and with ErrAutograd for
// a leaf that requires gradients, outside NoGrad. Follows Tensor.index_reduce_.
func (t *Tensor) IndexReduce_(dim int64, index, source *Tensor, reduce Reduce, opts ...ScatterReduceOption) *Tensor {
	return reducedInPlace("IndexReduce_(self, index, source)", aten.IndexReduce_, t, dim, index, source, reduce, opts)
}

// Accumulate adds to what is there instead of replacing it. accumulate in
// Python, False unless given.
type Accumulate bool

// A PutOption says how elements are put: [Accumulate].
//
//gotorch:options Accumulate
type PutOption interface{ putOption() }

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

// Put returns a copy of t in which the elements of the flattened tensor at
// index are replaced by source's, or, with [Accumulate], have them added;
// negative indices count from the end. The result is owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, with ErrIndex for an index out of range, with ErrShape
// unless index and source have as many elements, and with ErrDType if t and
// source differ in dtype, and for other indices than int64. Follows torch.put.
func (t *Tensor) Put(index, source *Tensor, opts ...PutOption) *Tensor {
	const op = "Put(self, index, source)"
	accumulate := readPut(op, opts)
	return ternary(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Ret {
		return aten.Put(cx, h, i, s, accumulate)
	}, t, index, source)
}

// Put_ is Put in place: it changes t, which keeps its shape and dtype, and
// returns t. It panics as Put does, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows Tensor.put_.
func (t *Tensor) Put_(index, source *Tensor, opts ...PutOption) *Tensor {
	const op = "Put_(self, index, source)"
	accumulate := readPut(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, h, i, s abi.Tensor) abi.Status {
		return aten.Put_(cx, h, i, s, accumulate)
	}, t, index, source)
}
