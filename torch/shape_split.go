package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// One tensor into several. The results are views of t's memory, each a tensor
// to be closed on its own. The dimension is the first unless given. All panic with ErrIndex if
// there is no such dimension.

// Split returns pieces of the given size along dim; the last one may be
// smaller. The results are views that share t's memory, owned by the innermost
// scope, else by the collector. It panics with ErrNil or ErrClosed for a tensor
// that is nil or closed, with ErrShape if size is negative, or 0 for a
// dimension that is not empty, and with ErrIndex if there is no such dimension.
// Follows torch.split.
func (t *Tensor) Split(size int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("Split(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.SplitTensor(cx, h, size, d)
	})
}

// SplitSizes returns pieces of the given sizes along dim. The results are views
// that share t's memory, owned by the innermost scope, else by the collector.
// It panics with ErrNil or ErrClosed for a tensor that is nil or closed, with
// ErrShape unless they add up to the dimension's size, and with ErrIndex if
// there is no such dimension. Follows torch.split with a list.
func (t *Tensor) SplitSizes(sizes []int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("SplitSizes(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.SplitWithSizes(cx, h, sizes, d)
	})
}

// Chunk returns at most the given number of pieces along dim, all of one size
// but the last. The results are views that share t's memory, owned by the
// innermost scope, else by the collector. It panics with ErrNil or ErrClosed
// for a tensor that is nil or closed, with ErrValue unless chunks is positive,
// with ErrIndex if there is no such dimension, and with ErrShape for a tensor
// of no dimensions. Follows torch.chunk.
func (t *Tensor) Chunk(chunks int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("Chunk(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.Chunk(cx, h, chunks, d)
	})
}

// TensorSplit returns exactly the given number of pieces along dim, whose sizes
// differ by at most 1. The results are views that share t's memory, owned by
// the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrValue unless sections
// is positive, with ErrIndex if there is no such dimension, and with ErrShape
// for a tensor of no dimensions. Follows torch.tensor_split.
func (t *Tensor) TensorSplit(sections int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("TensorSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.TensorSplitSections(cx, h, sections, d)
	})
}

// TensorSplitAt returns the pieces along dim between the given indices, one
// more than there are indices. The results are views that share t's memory,
// owned by the innermost scope, else by the collector. It panics with ErrNil or
// ErrClosed for a tensor that is nil or closed, with ErrIndex if there is no
// such dimension, and with ErrShape for a tensor of no dimensions.
// Follows torch.tensor_split.
func (t *Tensor) TensorSplitAt(indices []int64, dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("TensorSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.TensorSplitIndices(cx, h, indices, d)
	})
}

// Unbind returns the slices across dim, each without that dimension. The
// results are views that share t's memory, owned by the innermost scope, else
// by the collector. It panics with ErrNil or ErrClosed for a tensor that is nil
// or closed, and with ErrIndex if there is no such dimension.
// Follows torch.unbind.
func (t *Tensor) Unbind(dim ...Dim) []*Tensor {
	d := lastDim(dim, 0)
	return list("Unbind(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnbindInt(cx, h, d)
	})
}
