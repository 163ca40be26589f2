package imageops

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// size returns the height and width of an image (..., H, W). It panics if x is not an image.
func size(op string, x *torch.Tensor) (h, w int64) {
	x.HandleFor(op, 0)
	shape := x.Shape()
	if len(shape) < 2 {
		panic(torch.NewError(op, torch.ErrShape, "image", fmt.Sprintf("expected (..., H, W), got %v", shape)))
	}
	opt.CheckDType(op, x)
	return shape[len(shape)-2], shape[len(shape)-1]
}

// sizes returns the number of channels, the height and the width of an image (..., C, H, W).
func sizes(op string, x *torch.Tensor) (c, h, w int64) { return opt.Sizes(op, x) }

// colors is like sizes, but panics with ErrShape unless there are 1 or 3 channels.
func colors(op string, x *torch.Tensor) (c, h, w int64) {
	c, h, w = sizes(op, x)
	if c != 1 && c != 3 {
		panic(torch.NewError(op, torch.ErrShape, "image", fmt.Sprintf("expected 1 or 3 channels, got %d", c)))
	}
	return c, h, w
}

// mustBeArea panics with ErrValue if h x w pixels could not fit in the memory of any
// machine.
func mustBeArea(op, arg string, h, w int64) {
	if h > opt.MaxPixels || w > opt.MaxPixels || h > 0 && w > opt.MaxPixels/h {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("an image of %d x %d pixels is too large", h, w)))
	}
}

// viewOf returns a view of x.
func viewOf(x *torch.Tensor) *torch.Tensor { return x.ViewAs(x) }

// closeAll frees tensors immediately, before their scope ends.
func closeAll(ts ...*torch.Tensor) {
	for _, t := range ts {
		_ = t.Close()
	}
}

// step returns f(x). It frees x, unless f returns x itself.
func step(x *torch.Tensor, f func(*torch.Tensor) *torch.Tensor) *torch.Tensor {
	out := f(x)
	if out != x {
		closeAll(x)
	}
	return out
}

// withLast returns a copy of shape in which last replaces the last len(last) sizes.
func withLast(shape torch.Shape, last ...int64) []int64 {
	return append(append([]int64(nil), shape[:len(shape)-len(last)]...), last...)
}

// toDType converts x to dtype d and frees x. If x already has the dtype, it returns x.
func toDType(x *torch.Tensor, d torch.DType) *torch.Tensor {
	if x.DType() == d {
		return x
	}
	return step(x, func(x *torch.Tensor) *torch.Tensor { return x.To(d) })
}

// computeDType returns the dtype in which functions compute: float32 for integer images.
func computeDType(x *torch.Tensor) torch.DType {
	if x.IsFloatingPoint() {
		return x.DType()
	}
	return torch.Float32
}

// valueBits returns an integer dtype's number of bits, without the sign bit.
func valueBits(d torch.DType) int { return opt.ValueBits(d) }

// maxValue returns the largest value that an image of dtype d can have. It is 1 for
// floating-point dtypes.
func maxValue(d torch.DType) int64 { return opt.MaxValue(d) }

// needsGrad reports whether the gradient of x is recorded. If so, intermediate results must
// not be changed in place.
func needsGrad(x *torch.Tensor) bool { return x.RequiresGrad() && torch.IsGradEnabled() }
