package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file split a tensor into views. Each view is a tensor of its
// own. The default dimension is 0.

// Split returns views of pieces of the given size along a [Dim] (default 0);
// the last piece may be smaller. It panics with ErrShape if size is negative,
// or 0 for a dimension that is not empty, and with ErrIndex for a dimension out
// of range. Follows torch.split.
func (t *Tensor) Split(size int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("Split(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.SplitTensor(cx, h, size, d)
	})
}

// SplitSizes returns views of pieces of the given sizes along a [Dim] (default
// 0). It panics with ErrShape unless they add up to the dimension's size, and
// with ErrIndex for a dimension out of range. Follows torch.split with a list.
func (t *Tensor) SplitSizes(sizes []int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("SplitSizes(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.SplitWithSizes(cx, h, sizes, d)
	})
}

// Chunk returns views of at most the given number of pieces along a [Dim]
// (default 0), all of the same size except the last. It panics with ErrValue
// unless chunks is positive, with ErrIndex for a dimension out of range, and
// with ErrShape for a tensor without dimensions. Follows torch.chunk.
func (t *Tensor) Chunk(chunks int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("Chunk(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.Chunk(cx, h, chunks, d)
	})
}

// TensorSplit returns views of exactly the given number of pieces along a [Dim]
// (default 0), whose sizes differ by at most 1. It panics with ErrValue unless
// sections is positive, with ErrIndex for a dimension out of range, and with
// ErrShape for a tensor without dimensions. Follows torch.tensor_split.
func (t *Tensor) TensorSplit(sections int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("TensorSplit(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.TensorSplitSections(cx, h, sections, d)
	})
}

// TensorSplitAt returns views of the pieces along a [Dim] (default 0) between
// the given indices. It panics with ErrIndex for a dimension out of range, and
// with ErrShape for a tensor without dimensions. Follows torch.tensor_split.
func (t *Tensor) TensorSplitAt(indices []int64, dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("TensorSplitAt(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.TensorSplitIndices(cx, h, indices, d)
	})
}

// Unbind returns views of the slices along a [Dim] (default 0), without that
// dimension. It panics with ErrIndex for a dimension out of range.
// Follows torch.unbind.
func (t *Tensor) Unbind(dim ...Dim) []*Tensor {
	d := int64(lastOf(dim, 0))
	return list("Unbind(self)", t, func(cx abi.Ctx, h abi.Tensor) ([]abi.Tensor, abi.Status) {
		return aten.UnbindInt(cx, h, d)
	})
}
