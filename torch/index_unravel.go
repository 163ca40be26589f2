package torch

import (
	"fmt"
	"math"
	"slices"
)

// UnravelIndex converts flat indices into a tensor of the given shape to
// coordinates: one Int64 tensor of indices' shape for each dimension. It panics
// with ErrDType unless indices are integers. It panics with ErrShape for a
// negative size, for a shape with more elements than an int64 can count, and
// for a shape without elements if there are indices.
// Follows torch.unravel_index.
func UnravelIndex(indices *Tensor, shape Shape) []*Tensor {
	const op = "UnravelIndex(indices)"
	indices.handle(op, 0)
	if d := indices.DType(); d == Bool || d.IsFloatingPoint() || d.IsComplex() {
		panic(argError(op, ErrDType, "indices", fmt.Sprintf("expected integers, got %v", d)))
	}
	all := int64(1)
	for _, n := range shape {
		if n < 0 {
			panic(argError(op, ErrShape, "shape", fmt.Sprintf("expected no negative size, got %v", shape)))
		}
		if n != 0 && all > math.MaxInt64/n {
			panic(argError(op, ErrShape, "shape", fmt.Sprintf("shape %v has more elements than an int64 can count",
				shape)))
		}
		all *= max(n, 1) // a size of 0 must not hide an overflow
	}
	if slices.Contains(shape, 0) && indices.Numel() > 0 {
		panic(argError(op, ErrShape, "shape", fmt.Sprintf("shape %v has no elements, but indices has some", shape)))
	}
	return TidyAll(func() []*Tensor {
		coords := make([]*Tensor, len(shape))
		partOf(op, func() {
			flat, below := indices.To(Int64), int64(1)
			for i := len(shape) - 1; i >= 0; i-- {
				coords[i] = flat.FloorDivideScalar(below).RemainderScalar(shape[i])
				below *= shape[i]
			}
		})
		return coords
	})
}
