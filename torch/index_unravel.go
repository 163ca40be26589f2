package torch

import (
	"fmt"
	"math"
	"slices"
)

// UnravelIndex converts flat indices into a tensor of the given shape to
// coordinates: one Int64 tensor of indices' shape for each dimension. It panics
// with ErrDType unless indices are integers, and with ErrShape for negative
// sizes, sizes without elements, or more elements than an int64 counts.
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
			panic(argError(op, ErrShape, "shape", fmt.Sprintf("a negative size in %v", shape)))
		}
		if n != 0 && all > math.MaxInt64/n {
			panic(argError(op, ErrShape, "shape", fmt.Sprintf("%v has more elements than an int64 counts", shape)))
		}
		all *= max(n, 1) // so that the order of the sizes does not matter
	}
	if slices.Contains(shape, 0) && indices.Numel() > 0 {
		panic(argError(op, ErrShape, "shape", fmt.Sprintf("%v has no elements to have indices of", shape)))
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
