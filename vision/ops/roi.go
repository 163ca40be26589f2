package ops

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/vision"
	"github.com/gotorch/gotorch/torch"
)

type (
	// A RoIAlignOption is an option of [ApplyRoIAlign]: [SpatialScale], [SamplingRatio] or [Aligned].
	//
	//gotorch:options SpatialScale SamplingRatio Aligned
	RoIAlignOption interface{ roIAlignOption() }
	// A PSRoIAlignOption is an option of [ApplyPSRoIAlign]: [SpatialScale] or [SamplingRatio].
	//
	//gotorch:options SpatialScale SamplingRatio
	PSRoIAlignOption interface{ psRoIAlignOption() }
)

type (
	// SpatialScale is the ratio of the size of a feature map to the size of the image that the boxes
	// refer to, spatial_scale in Python. The default is 1. For example SpatialScale(0.25).
	SpatialScale float64
	// SamplingRatio is the number of samples along each side of a bin, sampling_ratio in Python. If
	// it is 0 or less, there is about one sample for each pixel. The default is -1.
	SamplingRatio int64
	// Aligned says whether the boxes are moved by half a pixel, so that samples lie between the
	// centers of pixels. The default is false.
	Aligned bool
)

// RoIs joins the boxes of a batch of images, each of shape (L, 4), to regions of interest of shape
// (K, 5): the number of the image, then the box. It panics with ErrShape for other shapes, and with
// ErrValue without images. Follows the functions of torchvision.ops, which accept a list of boxes.
func RoIs(boxes []*torch.Tensor) *torch.Tensor {
	const op = "ops.RoIs(boxes)"
	if len(boxes) == 0 {
		panic(torch.NewError(op, torch.ErrValue, "boxes", "expected the boxes of at least one image"))
	}
	for i, b := range boxes {
		b.HandleFor(op, 0)
		if b.Dim() != 2 || b.Size(1) != 4 {
			panic(torch.NewError(op, torch.ErrShape, fmt.Sprintf("boxes[%d]", i),
				fmt.Sprintf("expected (L, 4), got %v", b.Shape())))
		}
	}
	return torch.Tidy(func() *torch.Tensor {
		numbers := make([]*torch.Tensor, len(boxes))
		for i, b := range boxes {
			numbers[i] = torch.Full(torch.Shape{b.Size(0), 1}, i, b.DType(), b.Device())
		}
		return torch.Cat([]*torch.Tensor{torch.Cat(numbers), torch.Cat(boxes)}, 1)
	})
}

// ApplyRoIAlign pools regions of an image to a fixed size. It divides each region into bins, and takes
// the mean of samples in each bin, with bilinear interpolation. input has shape (N, C, H, W), and
// boxes (K, 5): the number of the image, then a box in [FmtXYXY]; see [RoIs]. outputSize is an int, or
// a slice of height and width. The result has shape (K, C, height, width). It panics with ErrShape
// for other shapes, with ErrDType unless both have the same dtype, Float16, Float32 or Float64, with
// ErrIndex for a box of an image that does not exist, with ErrValue for a negative size or if a box
// is too large, and with ErrNotImplemented for tensors that are not on the CPU. Follows
// torchvision.ops.roi_align.
func ApplyRoIAlign(input, boxes *torch.Tensor, outputSize any, opts ...RoIAlignOption) *torch.Tensor {
	const op = "ops.ApplyRoIAlign(input, boxes)"
	l := RoIAlign{OutputSize: twoSizes(op, outputSize), SpatialScale: 1, SamplingRatio: -1}
	for _, o := range opts {
		switch o := o.(type) {
		case SpatialScale:
			l.SpatialScale = float64(o)
		case SamplingRatio:
			l.SamplingRatio = int64(o)
		case Aligned:
			l.Aligned = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return l.apply(op, input, boxes)
}

func (l *RoIAlign) apply(op string, input, boxes *torch.Tensor) *torch.Tensor {
	return pool(op, input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
		return vision.RoIAlign(cx, x, b, l.SpatialScale, l.OutputSize, l.SamplingRatio, l.Aligned)
	})
}

// pool calls an operator of images and boxes.
func pool(op string, input, boxes *torch.Tensor, f func(cx abi.Ctx, x, b abi.Tensor) abi.Ret) *torch.Tensor {
	x, b := input.HandleFor(op, 0), boxes.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, boxes)
	return r.Tensor(f(r.Ctx, x, b))
}

// ApplyRoIPool pools regions of an image to a fixed size: it divides each region into bins of whole
// pixels, and takes the largest element of each bin. Arguments, result and errors are those of
// [ApplyRoIAlign]. The [SpatialScale] is 1 by default. Follows torchvision.ops.roi_pool.
func ApplyRoIPool(input, boxes *torch.Tensor, outputSize any, scale ...SpatialScale) *torch.Tensor {
	const op = "ops.ApplyRoIPool(input, boxes)"
	size, s := twoSizes(op, outputSize), lastScale(scale)
	return pool(op, input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
		return vision.RoIPool(cx, x, b, s, size)
	})
}

func lastScale(scale []SpatialScale) float64 {
	if n := len(scale); n > 0 {
		return float64(scale[n-1])
	}
	return 1
}

// ApplyPSRoIAlign is [ApplyRoIAlign] with aligned boxes, but each bin has its own channels: C is a
// multiple of height * width, and the result has shape (K, C / (height * width), height, width). The
// bins of a box without height or width are NaN if there is no [SamplingRatio]. It panics with
// ErrShape for other numbers of channels. Follows torchvision.ops.ps_roi_align.
func ApplyPSRoIAlign(input, boxes *torch.Tensor, outputSize any, opts ...PSRoIAlignOption) *torch.Tensor {
	const op = "ops.ApplyPSRoIAlign(input, boxes)"
	size, scale, ratio := twoSizes(op, outputSize), 1.0, int64(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case SpatialScale:
			scale = float64(o)
		case SamplingRatio:
			ratio = int64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return pool(op, input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
		return vision.PSRoIAlign(cx, x, b, scale, size, ratio)
	})
}

// ApplyPSRoIPool is [ApplyPSRoIAlign] with bins of whole pixels, of which it takes the mean. The
// [SpatialScale] is 1 by default. Follows torchvision.ops.ps_roi_pool.
func ApplyPSRoIPool(input, boxes *torch.Tensor, outputSize any, scale ...SpatialScale) *torch.Tensor {
	const op = "ops.ApplyPSRoIPool(input, boxes)"
	size, s := twoSizes(op, outputSize), lastScale(scale)
	return pool(op, input, boxes, func(cx abi.Ctx, x, b abi.Tensor) abi.Ret {
		return vision.PSRoIPool(cx, x, b, s, size)
	})
}

// twoSizes converts an argument for a height and a width.
func twoSizes(op string, size any) [2]int64 { return two(op, "outputSize", size) }

func two(op, arg string, size any) [2]int64 {
	switch n := size.(type) {
	case int:
		return [2]int64{int64(n), int64(n)}
	case int64:
		return [2]int64{n, n}
	case [2]int64:
		return n
	case []int64:
		p := pair(op, arg, n)
		return [2]int64{p[0], p[1]}
	case torch.Shape:
		p := pair(op, arg, n)
		return [2]int64{p[0], p[1]}
	case []int:
		if len(n) == 2 {
			return [2]int64{int64(n[0]), int64(n[1])}
		}
		pair(op, arg, make([]int64, len(n)))
	}
	panic(torch.NewError(op, torch.ErrType, arg,
		fmt.Sprintf("expected an int, or a slice of height and width, got %T", size)))
}
