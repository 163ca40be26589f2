package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// One tensor into several. The results are views of t's memory, each a tensor
// to be closed on its own. All panic with ErrIndex if there is no such
// dimension.

// Split returns pieces of the given size along dim; the last one may be
// smaller. It panics with ErrShape if size is negative, or 0 for a dimension
// that is not empty. Follows torch.split.
func (t *Tensor) Split(size, dim int64) []*Tensor {
	return list("Split(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.SplitTensor(cx, h, size, dim)
	})
}

// SplitSizes returns pieces of the given sizes along dim. It panics with
// ErrShape unless they add up to the dimension's size. Follows torch.split with
// a list.
func (t *Tensor) SplitSizes(sizes []int64, dim int64) []*Tensor {
	return list("SplitSizes(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.SplitWithSizes(cx, h, sizes, dim)
	})
}

// Chunk returns at most the given number of pieces along dim, all of one size
// but the last. It panics with ErrValue unless chunks is positive. Follows
// torch.chunk.
func (t *Tensor) Chunk(chunks, dim int64) []*Tensor {
	return list("Chunk(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.Chunk(cx, h, chunks, dim)
	})
}

// TensorSplit returns exactly the given number of pieces along dim, whose sizes
// differ by at most 1. It panics with ErrValue unless sections is positive.
// Follows torch.tensor_split.
func (t *Tensor) TensorSplit(sections, dim int64) []*Tensor {
	return list("TensorSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.TensorSplitSections(cx, h, sections, dim)
	})
}

// TensorSplitAt returns the pieces along dim between the given indices, one
// more than there are indices. Follows torch.tensor_split.
func (t *Tensor) TensorSplitAt(indices []int64, dim int64) []*Tensor {
	return list("TensorSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.TensorSplitIndices(cx, h, indices, dim)
	})
}

// Unbind returns the slices across dim, each without that dimension. Follows
// torch.unbind.
func (t *Tensor) Unbind(dim int64) []*Tensor {
	return list("Unbind(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnbindInt(cx, h, dim)
	})
}
