package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An InterpolateOption is an option of [Interpolate]: [Size], [Sizes], [ScaleFactor],
// [ScaleFactors], [Mode], [AlignCorners], [RecomputeScaleFactor] or [Antialias].
type InterpolateOption interface{ opt.InterpolateFunc }

// resizeArgs holds the parsed InterpolateOptions for n spatial dimensions.
type resizeArgs struct {
	n                      int
	hasSize, hasScale      bool
	size                   opt.Dims
	scale                  [3]float64
	mode                   Mode
	alignCorners, hasAlign bool
	recompute, antialias   bool
}

func readResize(op string, n int, opts []InterpolateOption) resizeArgs {
	s := resizeArgs{n: n, mode: ModeNearest}
	for _, o := range opts {
		switch o := o.(type) {
		case Size:
			s.hasSize = true
			s.size.Set(s.n, int64(o))
		case Sizes:
			s.hasSize = true
			s.size.SetAll(op, "Sizes", s.n, o)
		case ScaleFactor:
			s.hasScale = true
			s.scale = [3]float64{float64(o), float64(o), float64(o)}
		case ScaleFactors:
			s.hasScale = true
			s.setScales(op, o)
		case Mode:
			s.mode = o
		case AlignCorners:
			s.hasAlign, s.alignCorners = true, bool(o)
		case RecomputeScaleFactor:
			s.recompute = bool(o)
		case Antialias:
			s.antialias = bool(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return s
}

func (s *resizeArgs) setScales(op string, list []float64) {
	switch len(list) {
	case s.n:
		copy(s.scale[:], list)
	case 1:
		s.scale = [3]float64{list[0], list[0], list[0]}
	default:
		panic(torch.NewError(op, torch.ErrValue, "ScaleFactors",
			fmt.Sprintf("expected one number or %d, got %v", s.n, append([]float64(nil), list...))))
	}
}

// mustBeConsistent panics with ErrValue for options that exclude each other.
func (s *resizeArgs) mustBeConsistent(op string) {
	wrong := func(arg, message string) { panic(torch.NewError(op, torch.ErrValue, arg, message)) }
	switch {
	case s.hasSize == s.hasScale:
		wrong("Size", "give exactly one of Size and ScaleFactor")
	case !s.isModeValid():
		wrong("Mode", fmt.Sprintf("mode %s does not apply to %d spatial dimensions", strconv.Quote(string(s.mode)),
			s.n))
	case s.hasAlign && (s.mode == ModeNearest || s.mode == ModeNearestExact || s.mode == ModeArea):
		wrong("AlignCorners", "applies only to linear, bilinear, bicubic and trilinear, got mode "+string(s.mode))
	case s.recompute && s.hasSize:
		wrong("RecomputeScaleFactor", "cannot be combined with Size")
	case s.antialias && s.mode != ModeBilinear && s.mode != ModeBicubic:
		wrong("Antialias", "applies only to bilinear and bicubic, got mode "+string(s.mode))
	}
}

// isModeValid reports whether the mode is valid for n spatial dimensions.
func (s *resizeArgs) isModeValid() bool {
	switch s.mode {
	case ModeNearest, ModeNearestExact, ModeArea:
		return true
	case ModeLinear:
		return s.n == 1
	case ModeBilinear, ModeBicubic:
		return s.n == 2
	case ModeTrilinear:
		return s.n == 3
	}
	return false
}

// Interpolate resizes input of shape (N, C, *), with one to three spatial dimensions, to
// a [Size] or by a [ScaleFactor]. The [Mode] is ModeNearest by default, or
// ModeNearestExact or ModeArea. It can also be ModeLinear for one spatial dimension,
// ModeBilinear or ModeBicubic for two, and ModeTrilinear for three.
//
// It panics with ErrShape for any other number of dimensions and for a result without
// elements. It panics with ErrValue for a mode that is invalid for the number of
// dimensions, for options that exclude each other, and unless exactly one of Size and
// ScaleFactor is given. Follows torch.nn.functional.interpolate.
func Interpolate(input *torch.Tensor, opts ...InterpolateOption) *torch.Tensor {
	const op = "Interpolate(input)"
	h := input.HandleFor(op, 0)
	n := int(input.Dim()) - 2
	if n < 1 || n > 3 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected 3 to 5 dimensions, got %d", n+2)))
	}
	s := readResize(op, n, opts)
	s.mustBeConsistent(op)
	if s.hasScale && (s.recompute || s.mode == ModeArea) {
		shape := input.Shape()
		for i := range n {
			s.size[i] = int64(float64(shape[i+2]) * s.scale[i])
		}
		s.hasSize, s.hasScale = true, false
	}
	r := torch.BeginRaw(op, input)
	return r.Tensor(s.resample(r.Ctx, h))
}

func (s *resizeArgs) resample(cx abi.Ctx, h abi.Tensor) abi.Ret {
	var size []int64
	var scale []float64
	if s.hasSize {
		size = s.size[:s.n]
	} else {
		scale = s.scale[:s.n]
	}
	switch s.mode {
	case ModeLinear:
		return aten.UpsampleLinear1dVec(cx, h, size, s.alignCorners, scale)
	case ModeBilinear:
		if s.antialias {
			return aten.UnderUpsampleBilinear2dAaVec(cx, h, size, s.alignCorners, scale)
		}
		return aten.UpsampleBilinear2dVec(cx, h, size, s.alignCorners, scale)
	case ModeBicubic:
		if s.antialias {
			return aten.UnderUpsampleBicubic2dAaVec(cx, h, size, s.alignCorners, scale)
		}
		return aten.UpsampleBicubic2dVec(cx, h, size, s.alignCorners, scale)
	case ModeTrilinear:
		return aten.UpsampleTrilinear3dVec(cx, h, size, s.alignCorners, scale)
	case ModeArea:
		switch s.n {
		case 1:
			return aten.AdaptiveAvgPool1d(cx, h, size)
		case 2:
			return aten.AdaptiveAvgPool2d(cx, h, size)
		}
		return aten.AdaptiveAvgPool3d(cx, h, size)
	case ModeNearestExact:
		switch s.n {
		case 1:
			return aten.UnderUpsampleNearestExact1dVec(cx, h, size, scale)
		case 2:
			return aten.UnderUpsampleNearestExact2dVec(cx, h, size, scale)
		}
		return aten.UnderUpsampleNearestExact3dVec(cx, h, size, scale)
	}
	switch s.n {
	case 1:
		return aten.UpsampleNearest1dVec(cx, h, size, scale)
	case 2:
		return aten.UpsampleNearest2dVec(cx, h, size, scale)
	}
	return aten.UpsampleNearest3dVec(cx, h, size, scale)
}
