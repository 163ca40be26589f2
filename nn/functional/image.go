package functional

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// PadOptions are the rarer arguments of [Pad].
type PadOptions struct {
	Mode  string  // "": "constant"; or "reflect", "replicate", "circular"
	Value float64 // for "constant"
}

// Pad adds pad[0] elements before and pad[1] after the last dimension, pad[2]
// and pad[3] to the one before, and so on; negative numbers remove. It panics
// with ErrShape or ErrValue if the list does not fit x. Follows
// torch.nn.functional.pad.
func Pad(x *torch.Tensor, pad []int64, opts ...PadOptions) *torch.Tensor {
	const op = "Pad(input)"
	o := option(op, opts)
	h := x.HandleFor(op, 0)
	mode, value := o.Mode, (*float64)(nil)
	if mode == "" {
		mode = "constant"
	}
	if mode == "constant" {
		value = &o.Value
	}
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Pad(r.Ctx, h, pad, mode, value), x)
}

// InterpolateOptions say how [Interpolate] resizes: Size or ScaleFactor, and
// the mode.
type InterpolateOptions struct {
	Size         []int64   // of the result's planes
	ScaleFactor  []float64 // instead of Size: one for all directions or one for each
	Mode         string    // "": "nearest"; "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"
	AlignCorners bool      // the corners' centers stay in place; for the linear modes and bicubic
}

// Interpolate resizes x of shape (N, C, *) with one to three directions. It
// panics with ErrValue for a mode that does not fit their number and unless
// exactly one of Size and ScaleFactor is given. Follows
// torch.nn.functional.interpolate without antialias and
// recompute_scale_factor.
func Interpolate(x *torch.Tensor, o InterpolateOptions) *torch.Tensor {
	const op = "Interpolate(input)"
	h := x.HandleFor(op, 0)
	n := int(x.Dim()) - 2
	if n < 1 || n > 3 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected 3 to 5 dimensions, got %d", n+2)))
	}
	if (o.Size == nil) == (o.ScaleFactor == nil) {
		panic(torch.NewError(op, torch.ErrValue, "o", "exactly one of Size and ScaleFactor is needed"))
	}
	size, scale := o.Size, o.ScaleFactor
	if len(size) == 1 && n > 1 {
		size = repeat(size[0], n)
	}
	if len(scale) == 1 {
		scale = slices.Repeat(scale, n)
	}
	if len(size)+len(scale) != n {
		panic(torch.NewError(op, torch.ErrValue, "o", fmt.Sprintf("%d sizes for %d directions", len(size)+len(scale), n)))
	}
	if o.Mode == "area" {
		return area(op, x, size, scale)
	}
	f := resizer(n, o.Mode, o.AlignCorners)
	if f == nil {
		panic(torch.NewError(op, torch.ErrValue, "Mode", fmt.Sprintf("no mode %q for %d directions", o.Mode, n)))
	}
	r := torch.BeginRaw(op)
	return r.Tensor(f(r.Ctx, h, size, scale), x)
}

type resizeFunc = func(cx abi.Ctx, h abi.Tensor, size []int64, scale []float64) abi.Ret

type cornerFunc = func(cx abi.Ctx, h abi.Tensor, size []int64, align bool, scale []float64) abi.Ret

func resizer(n int, mode string, align bool) resizeFunc {
	if mode == "" {
		mode = "nearest"
	}
	var corners cornerFunc
	switch key := fmt.Sprint(mode, n); key {
	case "nearest1":
		return aten.UpsampleNearest1dVec
	case "nearest2":
		return aten.UpsampleNearest2dVec
	case "nearest3":
		return aten.UpsampleNearest3dVec
	case "nearest-exact1":
		return aten.UnderUpsampleNearestExact1dVec
	case "nearest-exact2":
		return aten.UnderUpsampleNearestExact2dVec
	case "nearest-exact3":
		return aten.UnderUpsampleNearestExact3dVec
	case "linear1":
		corners = aten.UpsampleLinear1dVec
	case "bilinear2":
		corners = aten.UpsampleBilinear2dVec
	case "bicubic2":
		corners = aten.UpsampleBicubic2dVec
	case "trilinear3":
		corners = aten.UpsampleTrilinear3dVec
	default:
		return nil
	}
	return func(cx abi.Ctx, h abi.Tensor, size []int64, scale []float64) abi.Ret {
		return corners(cx, h, size, align, scale)
	}
}

// area is adaptive average pooling, as in PyTorch.
func area(op string, x *torch.Tensor, size []int64, scale []float64) *torch.Tensor {
	if size == nil {
		shape := x.Shape()
		for i, s := range scale {
			size = append(size, int64(float64(shape[i+2])*s))
		}
	}
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	switch len(size) {
	case 1:
		return r.Tensor(aten.AdaptiveAvgPool1d(r.Ctx, h, size), x)
	case 2:
		return r.Tensor(aten.AdaptiveAvgPool2d(r.Ctx, h, size), x)
	default:
		return r.Tensor(aten.AdaptiveAvgPool3d(r.Ctx, h, size), x)
	}
}

// PixelShuffle turns (N, C*f*f, H, W) into (N, C, H*f, W*f). Follows
// torch.nn.functional.pixel_shuffle.
func PixelShuffle(x *torch.Tensor, factor int64) *torch.Tensor {
	return unary("PixelShuffle(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PixelShuffle(cx, h, factor) }, x)
}
