package tensorfmt

import "math"

// Cut is a dimension of which only the first Keep and the last Keep entries are shown. If
// the options request no edge items, Keep is zero, and no element is needed.
type Cut struct {
	Dim  int
	Size int64
	Keep int64
}

// Plan describes which elements of a tensor are shown.
type Plan struct {
	// Shape is the shape after all cuts: 2*Keep in cut dimensions, and the tensor's own
	// size in the others.
	Shape []int64
	// Cuts lists the dimensions to cut, in ascending order. It is empty if the whole
	// tensor is shown.
	Cuts []Cut
}

// NewPlan returns the plan for a tensor of the given shape. It depends only on the shape
// and the options, not on dtype and device.
func NewPlan(shape []int64, o Options) Plan {
	return newPlan(shape, o.resolve())
}

func newPlan(shape []int64, s settings) Plan {
	p := Plan{Shape: append([]int64(nil), shape...)}
	if numel(shape) <= s.threshold {
		return p
	}
	for d, size := range shape {
		if size > 2*s.edge {
			p.Cuts = append(p.Cuts, Cut{Dim: d, Size: size, Keep: s.edge})
			p.Shape[d] = 2 * s.edge
		}
	}
	return p
}

// Numel returns the number of elements that the caller must pass to Format.
func (p Plan) Numel() int64 { return numel(p.Shape) }

// numel returns the product of the sizes. It returns 0 if a size is negative, and the
// largest int64 if the product overflows, as it may for an expanded tensor.
func numel(shape []int64) int64 {
	for _, size := range shape {
		if size <= 0 {
			return 0
		}
	}
	n := int64(1)
	for _, size := range shape {
		if n > math.MaxInt64/size {
			return math.MaxInt64
		}
		n *= size
	}
	return n
}
