package imageops

import (
	"fmt"
	"math"

	common "github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Crop returns the part of image that is height x width pixels and begins at (top, left).
// The result shares the image's memory, unless it extends beyond the image; pixels outside
// the image are 0. The image may also be (H, W). It panics with ErrValue for a negative
// height or width. Follows torchvision.transforms.functional.crop.
func Crop(image *torch.Tensor, top, left, height, width int64) *torch.Tensor {
	const op = "imageops.Crop(image)"
	h, w := size(op, image)
	mustBeBox(op, top, left, height, width)
	return crop(image, h, w, top, left, height, width)
}

func mustBeBox(op string, top, left, height, width int64) {
	if height < 0 || width < 0 {
		panic(torch.NewError(op, torch.ErrValue, "height",
			fmt.Sprintf("expected a height and width of 0 or more, got %d and %d", height, width)))
	}
	for _, n := range []int64{top, left} {
		if n > opt.MaxPixels || n < -opt.MaxPixels {
			panic(torch.NewError(op, torch.ErrValue, "top",
				fmt.Sprintf("expected top and left from -%[1]d to %[1]d, got %[2]d and %[3]d", int64(opt.MaxPixels),
					top, left)))
		}
	}
	mustBeArea(op, "height", height, width)
}

func crop(x *torch.Tensor, h, w, top, left, height, width int64) *torch.Tensor {
	if top >= 0 && left >= 0 && top+height <= h && left+width <= w {
		return box(x, top, left, height, width)
	}
	y, yEnd := clip(top, h), clip(top+height, h)
	x0, xEnd := clip(left, w), clip(left+width, w)
	if y >= yEnd || x0 >= xEnd {
		return x.NewZeros(withLast(x.Shape(), height, width))
	}
	return torch.Tidy(func() *torch.Tensor {
		return F.Pad(box(x, y, x0, yEnd-y, xEnd-x0),
			[]int64{x0 - left, left + width - xEnd, y - top, top + height - yEnd})
	})
}

func clip(n, limit int64) int64 { return min(max(n, 0), limit) }

// box returns a view of the part of x that begins at (top, left) and has height x width
// pixels.
func box(x *torch.Tensor, top, left, height, width int64) *torch.Tensor {
	return step(x.Narrow(-2, top, height), func(x *torch.Tensor) *torch.Tensor { return x.Narrow(-1, left, width) })
}

// CenterCrop returns the center of image. size is []int{height, width}, or an int for
// both. The result shares the image's memory, unless the image is smaller than size; the
// result is then padded with 0. The image may also be (H, W). It panics with ErrType for
// any other type of size and with ErrValue for a size that is not positive. Follows
// torchvision.transforms.functional.center_crop.
func CenterCrop(image *torch.Tensor, outputSize any) *torch.Tensor {
	const op = "imageops.CenterCrop(image)"
	h, w := size(op, image)
	height, width := opt.Pair(op, "outputSize", outputSize)
	mustBeArea(op, "outputSize", height, width)
	return centerCrop(image, h, w, height, width)
}

func centerCrop(x *torch.Tensor, h, w, height, width int64) *torch.Tensor {
	if height <= h && width <= w {
		return box(x, centerStart(h, height), centerStart(w, width), height, width)
	}
	down, across := max(height-h, 0), max(width-w, 0)
	return torch.Tidy(func() *torch.Tensor {
		out := F.Pad(x, []int64{across / 2, (across + 1) / 2, down / 2, (down + 1) / 2})
		if height >= h && width >= w {
			return out
		}
		return box(out, centerStart(h+down, height), centerStart(w+across, width), height, width)
	})
}

// centerStart returns the index of the first of n pixels that are centered in a row of
// the given size. Like Python, it rounds half to even.
func centerStart(size, n int64) int64 { return int64(math.RoundToEven(float64(size-n) / 2)) }

// ResizedCrop crops as [Crop] does and resizes as [Resize] does. size is []int{height,
// width}, or an int for the shorter side. The [Interpolation] is InterpolationBilinear by
// default. It panics as Crop and Resize do. Follows
// torchvision.transforms.functional.resized_crop.
func ResizedCrop(image *torch.Tensor, top, left, height, width int64, size any,
	opts ...ResizedCropOption,
) *torch.Tensor {
	const op = "imageops.ResizedCrop(image)"
	mode, antialias := common.Read2(op, opts, InterpolationBilinear, Antialias(true))
	mode.CheckResizing(op)
	c, h, w := sizes(op, image)
	mustBeBox(op, top, left, height, width)
	if height == 0 || width == 0 {
		panic(torch.NewError(op, torch.ErrValue, "height",
			fmt.Sprintf("expected a crop with pixels, got %d x %d", height, width)))
	}
	nh, nw := resizedSize(op, height, width, size, 0)
	return step(crop(image, h, w, top, left, height, width), func(x *torch.Tensor) *torch.Tensor {
		return resize(op, x, c, height, width, nh, nw, mode, bool(antialias))
	})
}

// FiveCrop returns the four corners and the center of image: upper left, upper right,
// lower left, lower right, center. size is []int{height, width}, or an int for both. The
// crops share the image's memory. It panics with ErrType for any other type of size and
// with ErrValue for a size that is not positive or larger than the image. Follows
// torchvision.transforms.functional.five_crop.
func FiveCrop(image *torch.Tensor, size any) []*torch.Tensor {
	const op = "imageops.FiveCrop(image)"
	h, w, height, width := fiveSizes(op, image, size)
	return fiveCrop(image, h, w, height, width)
}

func fiveSizes(op string, image *torch.Tensor, n any) (h, w, height, width int64) {
	h, w = size(op, image)
	height, width = opt.Pair(op, "size", n)
	if height > h || width > w {
		panic(torch.NewError(op, torch.ErrValue, "size",
			fmt.Sprintf("a crop of %d x %d is larger than the image of %d x %d", height, width, h, w)))
	}
	return h, w, height, width
}

func fiveCrop(x *torch.Tensor, h, w, height, width int64) []*torch.Tensor {
	return []*torch.Tensor{
		box(x, 0, 0, height, width), box(x, 0, w-width, height, width),
		box(x, h-height, 0, height, width), box(x, h-height, w-width, height, width),
		centerCrop(x, h, w, height, width),
	}
}

// TenCrop returns the crops of [FiveCrop], and the same crops of the flipped image. The
// first five crops share the image's memory, the last five the memory of the flipped image.
// It panics as FiveCrop does. Follows torchvision.transforms.functional.ten_crop.
func TenCrop(image *torch.Tensor, size any, opts ...TenCropOption) []*torch.Tensor {
	const op = "imageops.TenCrop(image)"
	dim := int64(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case VerticalFlip:
			dim = -1
			if o {
				dim = -2
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	h, w, height, width := fiveSizes(op, image, size)
	flipped := image.Flip(dim)
	defer closeAll(flipped)
	return append(fiveCrop(image, h, w, height, width), fiveCrop(flipped, h, w, height, width)...)
}

// HFlip returns image flipped left to right, as a copy. The image may also be (H, W).
// Follows torchvision.transforms.functional.hflip.
func HFlip(image *torch.Tensor) *torch.Tensor {
	size("imageops.HFlip(image)", image)
	return image.Flip(-1)
}

// VFlip returns image flipped upside down, as a copy. The image may also be (H, W).
// Follows torchvision.transforms.functional.vflip.
func VFlip(image *torch.Tensor) *torch.Tensor {
	size("imageops.VFlip(image)", image)
	return image.Flip(-2)
}
