package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// IndexPut returns a copy of t with values, broadcast, written at the places
// that one tensor of indices or bools for each of the first dimensions names; a
// nil element takes a whole dimension. With [Accumulate] values are added, and
// repeated places add up; without, which one wins is not defined. The result is
// owned by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrValue for no indices at
// all, with ErrIndex for an index out of range, for more indices than t has
// dimensions and for indices that are neither int64 nor bools, with ErrShape for
// shapes that do not fit, with ErrDType for bools among the indices with another
// shape or if t and values differ in dtype, and with ErrDevice if they are on
// different devices. Follows torch.index_put.
func (t *Tensor) IndexPut(indices []*Tensor, values *Tensor, opts ...PutOption) *Tensor {
	const op = "IndexPut(self, values)"
	h, v := t.handle(op, 0), values.handle(op, 1)
	hs, accumulate := indexHandles(op, indices), readPut(op, opts)
	r := BeginRaw(op, t, values)
	r.Use(indices...)
	return r.Tensor(aten.IndexPut(r.Ctx, h, hs, v, accumulate))
}

// IndexPut_ is IndexPut in place: it changes t, which keeps its shape and
// dtype, and returns t. It panics as IndexPut does, and with ErrAutograd for a
// leaf that requires gradients, outside NoGrad. Follows Tensor.index_put_.
func (t *Tensor) IndexPut_(indices []*Tensor, values *Tensor, opts ...PutOption) *Tensor {
	const op = "IndexPut_(self, values)"
	h, v := t.handle(op, 0), values.handle(op, 1)
	hs, accumulate := indexHandles(op, indices), readPut(op, opts)
	r := BeginRaw(op, t, values)
	r.Use(indices...)
	r.Status(aten.IndexPut_(r.Ctx, h, hs, v, accumulate))
	return t
}

// indexHandles returns the handles of indices, of which a nil one takes all of a
// dimension.
func indexHandles(op string, indices []*Tensor) []abi.Tensor {
	op, _ = splitOp(op)
	some := false
	for _, i := range indices {
		some = some || i != nil
	}
	if !some {
		panic(argError(op, ErrValue, "indices", "expected at least one tensor, got none"))
	}
	return Handles(op, indices, true)
}
