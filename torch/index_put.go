package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// IndexPut returns a copy of t with values written at indices. The values broadcast. Each
// element of indices is a tensor of integers or bools for one of the first dimensions; a
// nil element selects a whole dimension. With [Accumulate] values are added, including at
// repeated positions. Otherwise, which value a repeated position gets is undefined.
// Follows torch.index_put.
//
// It panics with ErrValue if indices has no tensor, with ErrIndex for an index out of
// range, more indices than dimensions, or indices that are neither int64 nor bools, with
// ErrShape if shapes do not match, with ErrDType for bools of a different shape or if t
// and values differ in dtype, and with ErrDevice if they are on different devices.
func (t *Tensor) IndexPut(indices []*Tensor, values *Tensor, opts ...PutOption) *Tensor {
	const op = "IndexPut(self, values)"
	h, v := t.handle(op, 0), values.handle(op, 1)
	hs, accumulate := indexHandles(op, indices), readPut(op, opts)
	r := BeginRaw(op, t, values)
	r.Use(indices...)
	return r.Tensor(aten.IndexPut(r.Ctx, h, hs, v, accumulate))
}

// IndexPut_ is the in-place form of IndexPut. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as IndexPut does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.index_put_.
func (t *Tensor) IndexPut_(indices []*Tensor, values *Tensor, opts ...PutOption) *Tensor {
	const op = "IndexPut_(self, values)"
	h, v := t.handle(op, 0), values.handle(op, 1)
	hs, accumulate := indexHandles(op, indices), readPut(op, opts)
	r := BeginRaw(op, t, values)
	r.Use(indices...)
	r.Status(aten.IndexPut_(r.Ctx, h, hs, v, accumulate))
	return t
}

// indexHandles returns the handles of indices; a nil index selects a whole
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
