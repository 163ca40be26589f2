package imageops

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Pad adds pixels around image. padding is an int for all sides, []int{left and right,
// top and bottom} or []int{left, top, right, bottom}; negative numbers remove pixels.
// With PaddingModeConstant, the default, the value of the new pixels is [Fill], 0 by
// default, or [Fills], which has one value for each channel. The result is a new tensor.
//
// It panics with ErrType or ErrValue for an invalid padding, and with ErrValue for an
// unknown mode, for Fills with several numbers in a mode other than PaddingModeConstant,
// and for Fills whose length is not the number of channels. It panics with ErrShape or
// ErrValue for a padding that is too large for the image or the mode. Follows
// torchvision.transforms.functional.pad.
func Pad(image *torch.Tensor, padding any, opts ...PadOption) *torch.Tensor {
	const op = "imageops.Pad(image)"
	var fill []float64
	mode := PaddingModeConstant
	for _, o := range opts {
		switch o := o.(type) {
		case Fill:
			fill = []float64{float64(o)}
		case Fills:
			fill = append([]float64(nil), o...)
		case PaddingMode:
			mode = PaddingMode(string(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	mode.Check(op)
	c, h, w := sizes(op, image)
	left, right, top, bottom := opt.Sides(op, "padding", opt.Ints(op, "padding", padding, 1, 2, 4))
	mustBeFill(op, fill, c)
	if len(fill) > 1 && mode != PaddingModeConstant {
		panic(torch.NewError(op, torch.ErrValue, "Fills",
			"several numbers need PaddingModeConstant, got mode "+string(mode)))
	}
	for _, n := range []int64{left, right, top, bottom} {
		if n > opt.MaxPixels || n < -opt.MaxPixels {
			panic(torch.NewError(op, torch.ErrValue, "padding",
				fmt.Sprintf("expected numbers from -%[1]d to %[1]d, got %[2]d", int64(opt.MaxPixels), n)))
		}
	}
	nh, nw := h+top+bottom, w+left+right
	if nh < 0 || nw < 0 {
		panic(torch.NewError(op, torch.ErrValue, "padding",
			fmt.Sprintf("removes more pixels than the image has: %d x %d would be left", nh, nw)))
	}
	mustBeArea(op, "padding", nh, nw)
	sides := []int64{left, right, top, bottom}
	if len(fill) > 1 {
		return padColors(image, sides, fill, c)
	}
	value := 0.0
	if len(fill) == 1 {
		value = fill[0]
	}
	return torch.Tidy(func() *torch.Tensor {
		shape := image.Shape()
		n := int64(1)
		for _, s := range shape[:len(shape)-3] {
			n *= s
		}
		batch := image.Reshape(n, c, h, w)
		d := image.DType()
		var out *torch.Tensor
		switch mode {
		case PaddingModeConstant:
			out = F.Pad(batch, sides, F.Value(value))
		case PaddingModeSymmetric:
			out = symmetric(op, batch, h, w, sides)
		default:
			if !d.IsFloatingPoint() { // libtorch can mirror only floating-point numbers
				batch = toDType(batch, torch.Float32)
			}
			word := F.ModeReflect
			if mode == PaddingModeEdge {
				word = F.ModeReplicate
			}
			out = toDType(F.Pad(batch, sides, word), d)
		}
		return out.Reshape(withLast(shape, nh, nw)...)
	})
}

// mustBeFill panics with ErrValue unless fill is empty, or has one number or c numbers. c
// is the number of channels.
func mustBeFill(op string, fill []float64, c int64) {
	if n := int64(len(fill)); n > 1 && n != c {
		panic(torch.NewError(op, torch.ErrValue, "Fills", fmt.Sprintf("expected one number or %d, got %d", c, n)))
	}
}

// padColors pads x with a color. fill is the color: one number for each of the c channels.
func padColors(x *torch.Tensor, sides []int64, fill []float64, c int64) *torch.Tensor {
	left, right, top, bottom := sides[0], sides[1], sides[2], sides[3]
	return torch.Tidy(func() *torch.Tensor {
		out := F.Pad(x, sides)
		h, w := out.Size(-2), out.Size(-1)
		// Convert to float32 first, because the numbers may have fractions even if x has
		// bytes.
		color := toDType(torch.FromSliceWith(fill, torch.Shape{c, 1, 1}, torch.Float32, x.Device()), x.DType())
		strip := func(dim, start, n, size int64) {
			if n = min(n, size); n > 0 {
				out.Narrow(dim, max(start, 0), n).Copy_(color)
			}
		}
		strip(-2, 0, top, h)
		strip(-1, 0, left, w)
		strip(-2, h-bottom, bottom, h)
		strip(-1, w-right, right, w)
		return out
	})
}

// symmetric pads x with its mirror image and repeats the border pixel.
func symmetric(op string, x *torch.Tensor, h, w int64, sides []int64) *torch.Tensor {
	cut := func(n int64) int64 { return max(-n, 0) }
	top, left := cut(sides[2]), cut(sides[0])
	h, w = h-top-cut(sides[3]), w-left-cut(sides[1])
	if h < 0 || w < 0 || max(sides[2], sides[3]) > h || max(sides[0], sides[1]) > w {
		panic(torch.NewError(op, torch.ErrValue, "padding",
			fmt.Sprintf("symmetric padding mirrors at most the %d x %d pixels of the image", max(h, 0), max(w, 0))))
	}
	x = box(x, top, left, h, w)
	across := torch.FromSliceWith(mirrorIndices(w, max(sides[0], 0), max(sides[1], 0)), nil, x.Device())
	down := torch.FromSliceWith(mirrorIndices(h, max(sides[2], 0), max(sides[3], 0)), nil, x.Device())
	return x.IndexSelect(-2, down).IndexSelect(-1, across)
}

// mirrorIndices returns the indices 0 to n-1 between mirrored indices. before and after
// are the numbers of mirrored indices at the start and at the end.
func mirrorIndices(n, before, after int64) []int64 {
	list := make([]int64, 0, n+before+after)
	for i := before - 1; i >= 0; i-- {
		list = append(list, i)
	}
	for i := range n {
		list = append(list, i)
	}
	for i := range after {
		list = append(list, n-1-i)
	}
	return list
}
