package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// maxPad is the largest padding that Pad accepts, more elements than any memory can
// hold. With paddings near the largest int64, libtorch's sizes overflow, and its
// kernels write out of bounds.
const maxPad = 1 << 48

// A PadOption is an option of [Pad]: [Mode] or [Value].
type PadOption interface{ opt.PadFunc }

// Pad adds pad[0] elements before and pad[1] after the last dimension, pad[2] and pad[3]
// before and after the second to last, and so on. Negative numbers remove elements. The
// [Mode] is ModeConstant by default, or ModeReflect, ModeReplicate or ModeCircular. It
// panics with ErrShape or ErrValue if pad is invalid for input's shape, and with ErrValue
// for any other mode and for a [Value] with a mode that does not use it. Follows
// torch.nn.functional.pad.
func Pad(input *torch.Tensor, pad []int64, opts ...PadOption) *torch.Tensor {
	const op = "Pad(input)"
	mode, value, valued := ModeConstant, 0.0, false
	for _, o := range opts {
		switch o := o.(type) {
		case Mode:
			mode = o
		case Value:
			value, valued = float64(o), true
		default:
			panic(opt.Unknown(op, o))
		}
	}
	switch mode {
	case ModeConstant:
	case ModeReflect, ModeReplicate, ModeCircular:
		if valued {
			panic(torch.NewError(op, torch.ErrValue, "Value",
				"applies only to ModeConstant, got mode "+string(mode)))
		}
	default:
		panic(torch.NewError(op, torch.ErrValue, "Mode",
			"expected constant, reflect, replicate or circular, got "+strconv.Quote(string(mode))))
	}
	for _, n := range pad {
		if n > maxPad || n < -maxPad {
			panic(torch.NewError(op, torch.ErrValue, "pad",
				fmt.Sprintf("expected numbers from -%[1]d to %[1]d, got %[2]d", int64(maxPad), n)))
		}
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Pad(r.Ctx, h, pad, string(mode), orNil(mode == ModeConstant, &value)))
}

// A GridSampleOption is an option of [GridSample]: [Mode], [PaddingMode] or
// [AlignCorners].
type GridSampleOption interface{ opt.GridSampleFunc }

// GridSample samples input, of shape (N, C, H, W) or (N, C, D, H, W), at the positions in
// grid, of shape (N, H', W', 2) or (N, D', H', W', 3). The result has shape (N, C, H',
// W') or (N, C, D', H', W'). Positions have x first and range from -1 to 1. With
// [PaddingModeBorder] and [PaddingModeReflection], NaN stands for -1. The [Mode] is
// ModeBilinear by default, or ModeNearest or, for four dimensions, ModeBicubic. It panics
// with ErrShape for sizes that do not match and with ErrValue for any other mode. Follows
// torch.nn.functional.grid_sample.
func GridSample(input, grid *torch.Tensor, opts ...GridSampleOption) *torch.Tensor {
	const op = "GridSample(input, grid)"
	mode, padding, align := opt.Read3(op, opts, ModeBilinear, PaddingModeZeros, AlignCorners(false))
	var m, p int64
	switch mode {
	case ModeBilinear:
	case ModeNearest:
		m = 1
	case ModeBicubic:
		m = 2
	default:
		panic(torch.NewError(op, torch.ErrValue, "Mode",
			"expected bilinear, nearest or bicubic, got "+strconv.Quote(string(mode))))
	}
	switch padding {
	case PaddingModeZeros:
	case PaddingModeBorder:
		p = 1
	case PaddingModeReflection:
		p = 2
	default:
		panic(torch.NewError(op, torch.ErrValue, "PaddingMode",
			"expected zeros, border or reflection, got "+strconv.Quote(string(padding))))
	}
	input.HandleFor(op, 0)
	grid.HandleFor(op, 1)
	if mode == ModeBicubic && input.Dim() == 5 {
		panic(torch.NewError(op, torch.ErrValue, "Mode", "bicubic applies only to an input of 4 dimensions, got 5"))
	}
	if p != 0 && m == 0 && input.Dim() == 4 && grid.DType() == torch.Float64 && torch.IsGradEnabled() {
		positions := replaceNaN(grid, p)
		defer own.ReleaseAll(positions)
		grid = positions
	}
	h, g := input.HandleFor(op, 0), grid.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, grid)
	return r.Tensor(aten.GridSampler(r.Ctx, h, g, m, p, bool(align)))
}

// replaceNaN replaces NaN with -1. With reflection padding it also replaces infinities,
// which cannot be reflected. In float64, libtorch's bilinear gradient would read out of
// bounds at such positions.
func replaceNaN(grid *torch.Tensor, padding int64) *torch.Tensor {
	outside := -1.0
	var infinity *float64
	if padding == 2 {
		infinity = &outside
	}
	h := grid.HandleFor("GridSample(grid)", 0)
	r := torch.BeginRaw("GridSample(grid)", grid)
	return r.Tensor(aten.NanToNum(r.Ctx, h, &outside, infinity, infinity))
}

// An AffineGridOption is [AlignCorners].
type AffineGridOption interface{ opt.AffineGridFunc }

// AffineGrid returns a grid for [GridSample]: the positions to which the matrices theta
// map the elements of an image. theta has shape (N, 2, 3) or (N, 3, 4), and size is the
// size of the image, (N, C, H, W) or (N, C, D, H, W). The result has shape (N, H, W, 2)
// or (N, D, H, W, 3). It panics with ErrShape for sizes that do not match and with
// ErrDType for integers. Follows torch.nn.functional.affine_grid.
func AffineGrid(theta *torch.Tensor, size torch.Shape, opts ...AffineGridOption) *torch.Tensor {
	const op = "AffineGrid(theta)"
	align := opt.Read(op, opts, AlignCorners(false))
	h := theta.HandleFor(op, 0)
	if !theta.DType().IsFloatingPoint() {
		panic(torch.NewError(op, torch.ErrDType, "theta",
			fmt.Sprintf("expected floating-point numbers, got %v", theta.DType())))
	}
	mustFitAffine(op, theta.Shape(), size)
	r := torch.BeginRaw(op, theta)
	return r.Tensor(aten.AffineGridGenerator(r.Ctx, h, size, bool(align)))
}

func mustFitAffine(op string, theta, size torch.Shape) {
	n := int64(len(size)) - 2
	if n != 2 && n != 3 || len(theta) != 3 || theta[1] != n || theta[2] != n+1 {
		panic(torch.NewError(op, torch.ErrShape, "theta", fmt.Sprintf(
			"expected size (N, 2, 3) for 4 output sizes or (N, 3, 4) for 5, got size %v for %d output sizes", theta,
			len(size))))
	}
	for _, s := range size {
		if s <= 0 {
			panic(torch.NewError(op, torch.ErrValue, "size",
				fmt.Sprintf("expected positive numbers, got %v", append(torch.Shape(nil), size...))))
		}
	}
}
