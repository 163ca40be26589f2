package transforms

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

type (
	// A ProbabilityOption is [P].
	//
	//gotorch:options P
	ProbabilityOption interface{ probabilityOption() }
	// A ResizeOption is [Interpolation], [MaxSize] or [Antialias].
	//
	//gotorch:options Interpolation MaxSize Antialias
	ResizeOption interface{ resizeOption() }
	// A RandomResizeOption is [Interpolation] or [Antialias].
	//
	//gotorch:options Interpolation Antialias
	RandomResizeOption interface{ randomResizeOption() }
	// A RandomShortestSizeOption is [MaxSize], [Interpolation] or [Antialias].
	//
	//gotorch:options MaxSize Interpolation Antialias
	RandomShortestSizeOption interface{ randomShortestSizeOption() }
	// A ScaleJitterOption is [ScaleRange], [Interpolation] or [Antialias].
	//
	//gotorch:options ScaleRangeOption Interpolation Antialias
	ScaleJitterOption interface{ scaleJitterOption() }
	// A RandomCropOption is [Padding] or [Paddings], [PadIfNeeded], [Fill] or [Fills], [MaskFill]
	// or [PaddingMode].
	//
	//gotorch:options Padding Paddings PadIfNeeded Fill Fills MaskFill PaddingMode
	RandomCropOption interface{ randomCropOption() }
	// A RandomResizedCropOption is [Scale], [Ratio], [Interpolation] or [Antialias].
	//
	//gotorch:options ScaleOption RatioOption Interpolation Antialias
	RandomResizedCropOption interface{ randomResizedCropOption() }
	// A RandomIoUCropOption is [MinScale], [MaxScale], [MinAspectRatio], [MaxAspectRatio],
	// [SamplerOptions] or [Trials].
	//
	//gotorch:options MinScale MaxScale MinAspectRatio MaxAspectRatio SamplerOptions Trials
	RandomIoUCropOption interface{ randomIoUCropOption() }
	// A RandomZoomOutOption is [Fill] or [Fills], [MaskFill], [SideRange] or [P].
	//
	//gotorch:options Fill Fills MaskFill SideRangeOption P
	RandomZoomOutOption interface{ randomZoomOutOption() }
	// A PadOption is [Fill] or [Fills], [MaskFill] or [PaddingMode].
	//
	//gotorch:options Fill Fills MaskFill PaddingMode
	PadOption interface{ padOption() }
	// A SanitizeBoundingBoxesOption is [MinSize], [MinArea] or [LabelsGetter].
	//
	//gotorch:options MinSize MinArea LabelsGetter
	SanitizeBoundingBoxesOption interface{ sanitizeBoundingBoxesOption() }
)

// Options of transforms that resize.
type (
	// Interpolation is how new pixels of an image are computed. The default is
	// InterpolationBilinear. A mask always gets the nearest pixel. The name in Python is
	// interpolation. A string that is not one of the constants causes ErrValue.
	Interpolation string
	// Antialias controls whether images are smoothed when they shrink. The default is true.
	// It only affects InterpolationBilinear and InterpolationBicubic.
	Antialias bool
	// MaxSize is the largest length of the longer side in pixels; max_size in Python. By
	// default, and with 0, there is no limit.
	MaxSize int64
	// ScaleRangeOption is the type of [ScaleRange].
	ScaleRangeOption struct{ Min, Max float64 }
)

// Options of transforms that crop or pad.
type (
	// Fill is the value of new border pixels. The default is 0.
	Fill float64
	// Fills is Fill with one value for each channel, or one value for all channels.
	Fills []float64
	// MaskFill is the value of new border pixels of a mask: the value for tv_tensors.Mask in
	// Python's dict fill. The default is the value of Fill.
	MaskFill float64
	// PaddingMode is how the values of new border pixels are determined; padding_mode in
	// Python. The default is PaddingModeConstant, the only mode for boxes and key points.
	PaddingMode string
	// Padding is the number of pixels added at each side before cropping. The default is 0.
	Padding int64
	// Paddings is Padding for {left and right, top and bottom} or {left, top, right, bottom}.
	Paddings []int64
	// PadIfNeeded (true) pads images that are smaller than the crop. The default is false.
	// It is pad_if_needed in Python.
	PadIfNeeded bool
	// ScaleOption is the type of [Scale].
	ScaleOption struct{ Min, Max float64 }
	// RatioOption is the type of [Ratio].
	RatioOption struct{ Min, Max float64 }
	// SideRangeOption is the type of [SideRange].
	SideRangeOption struct{ Min, Max float64 }
	// MinScale is the least height and width of the crop, as a fraction of the image's;
	// min_scale in Python. The default is 0.3.
	MinScale float64
	// MaxScale is the largest height and width of the crop, as a fraction of the image's;
	// max_scale in Python. The default is 1.
	MaxScale float64
	// MinAspectRatio is the least width of the crop divided by its height; min_aspect_ratio
	// in Python. The default is 0.5.
	MinAspectRatio float64
	// MaxAspectRatio is the largest width of the crop divided by its height;
	// max_aspect_ratio in Python. The default is 2.
	MaxAspectRatio float64
	// SamplerOptions are the numbers from which the least overlap of the crop with a box is
	// drawn; 1 or more means that the sample stays as it is. The default is {0, 0.1, 0.3,
	// 0.5, 0.7, 0.9, 1}. It is sampler_options in Python.
	SamplerOptions []float64
	// Trials is the number of crops that are tried for each least overlap. The default is 40.
	Trials int64
)

// The other options.
type (
	// P is the probability that a sample is transformed, from 0 to 1. The default is 0.5.
	P float64
	// MinSize is the least width and height of a box, at least 1; min_size in Python. The
	// default is 1.
	MinSize float64
	// MinArea is the least area of a box, at least 1; min_area in Python. The default is 1.
	MinArea float64
	// LabelsGetter lists the tensors that lose the entries of removed boxes or key points:
	// "Labels" for the Labels of the sample, and names in Extra. The default for boxes is
	// {"Labels"}. The name in Python is labels_getter, which is a function there.
	LabelsGetter []string
	// ClampingMode is what happens to boxes that reach beyond the image when a transform
	// moves them. The default is ClampingModeSoft. The name in Python is clamping_mode.
	ClampingMode string
)

// These constants select how new pixels are computed.
const (
	InterpolationNearest      Interpolation = "nearest"       // the nearest pixel
	InterpolationNearestExact Interpolation = "nearest-exact" // the nearest pixel, by Pillow's rule
	InterpolationBilinear     Interpolation = "bilinear"      // computes a pixel from two pixels per axis
	InterpolationBicubic      Interpolation = "bicubic"       // computes a pixel from four pixels per axis
)

// These are the ways in which the values of new border pixels are determined.
const (
	PaddingModeConstant  PaddingMode = "constant"  // a number, Fill
	PaddingModeEdge      PaddingMode = "edge"      // the last pixel
	PaddingModeReflect   PaddingMode = "reflect"   // mirrors the image, but does not repeat the border pixel
	PaddingModeSymmetric PaddingMode = "symmetric" // mirrors the image and repeats the border pixel
)

// These are the clamping modes. For boxes that are not rotated, ClampingModeSoft and
// ClampingModeHard are the same.
const (
	ClampingModeSoft ClampingMode = "soft" // limits boxes to the image
	ClampingModeHard ClampingMode = "hard" // limits boxes to the image
	ClampingModeNone ClampingMode = "none" // leaves boxes as they are; None in Python
	ClampingModeAuto ClampingMode = "auto" // the mode of the boxes; only for NewClampBoundingBoxes
)

// Scale is the range of the area of the random part, as a fraction of the image's area. The default is
// 0.08 to 1.
func Scale(lo, hi float64) ScaleOption { return ScaleOption{lo, hi} }

// Ratio is the range of the random part's width divided by its height. The default is 3/4 to 4/3.
func Ratio(lo, hi float64) RatioOption { return RatioOption{lo, hi} }

// SideRange is the range of the new height and width, as a multiple of the old ones; side_range in
// Python. The default is 1 to 4.
func SideRange(lo, hi float64) SideRangeOption { return SideRangeOption{lo, hi} }

// ScaleRange is the range of the factor by which the size is multiplied; scale_range in Python. The
// default is 0.1 to 2.
func ScaleRange(lo, hi float64) ScaleRangeOption { return ScaleRangeOption{lo, hi} }

func (m ClampingMode) check(op, arg string) {
	switch m {
	case "", ClampingModeSoft, ClampingModeHard, ClampingModeNone:
		return
	}
	panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected soft, hard or none, got %q", string(m))))
}

func (i Interpolation) check(op string) {
	switch i {
	case InterpolationNearest, InterpolationNearestExact, InterpolationBilinear, InterpolationBicubic:
		return
	}
	panic(torch.NewError(op, torch.ErrValue, "Interpolation",
		fmt.Sprintf("expected one of nearest, nearest-exact, bilinear, bicubic, got %q", string(i))))
}

func (m PaddingMode) check(op string) {
	switch m {
	case PaddingModeConstant, PaddingModeEdge, PaddingModeReflect, PaddingModeSymmetric:
		return
	}
	panic(torch.NewError(op, torch.ErrValue, "PaddingMode",
		fmt.Sprintf("expected constant, edge, reflect or symmetric, got %q", string(m))))
}

func checkP(op string, p float64) float64 {
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "P", fmt.Sprintf("expected a probability from 0 to 1, got %v", p)))
	}
	return p
}

// read reads o if it is an option about new border pixels. It reports whether it is.
func (f *filling) read(o any) bool {
	switch o := o.(type) {
	case Fill:
		f.image = []float64{float64(o)}
	case Fills:
		f.image = slices.Clone(o)
	case MaskFill:
		f.mask = []float64{float64(o)}
	case PaddingMode:
		f.mode = o
	default:
		return false
	}
	return true
}

func (f *filling) check(op string) {
	f.mode.check(op)
	if len(f.image) > 1 && f.mode != PaddingModeConstant {
		panic(torch.NewError(op, torch.ErrValue, "Fills",
			"several numbers need PaddingModeConstant, got mode "+string(f.mode)))
	}
}
