package imageops

import (
	"fmt"
	"strings"
	"sync"

	common "github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Resize resizes image. size is []int{height, width}, or an int for the shorter side.
// size may be nil if a [MaxSize] is given, and is then the size of the longer side. The
// [Interpolation] is InterpolationBilinear by default. The result shares the image's
// memory if it already has the size. It panics with ErrType for any other type of size,
// and with ErrValue for a size that is not positive, for a MaxSize together with a height
// and width, for a MaxSize that is not larger than size, and for an unknown
// interpolation. Follows torchvision.transforms.functional.resize.
func Resize(image *torch.Tensor, size any, opts ...ResizeOption) *torch.Tensor {
	const op = "imageops.Resize(image)"
	mode, antialias, limit := common.Read3(op, opts, InterpolationBilinear, Antialias(true), MaxSize(0))
	mode.CheckResizing(op)
	c, h, w := sizes(op, image)
	nh, nw := resizedSize(op, h, w, size, int64(limit))
	return resize(op, image, c, h, w, nh, nw, mode, bool(antialias))
}

// resizedSize returns the height and width of Resize's result for an image of h x w pixels.
func resizedSize(op string, h, w int64, size any, limit int64) (nh, nw int64) {
	if h == 0 || w == 0 {
		panic(torch.NewError(op, torch.ErrShape, "image",
			fmt.Sprintf("expected pixels, got an image of %d x %d", h, w)))
	}
	var want []int64
	if size != nil {
		want = opt.Ints(op, "size", size, 1, 2)
		opt.CheckPositive(op, "size", want...)
	}
	if limit < 0 || limit > opt.MaxPixels {
		panic(torch.NewError(op, torch.ErrValue, "MaxSize",
			fmt.Sprintf("expected a positive number up to %d, got %d", int64(opt.MaxPixels), limit)))
	}
	short, long := min(h, w), max(h, w)
	switch {
	case len(want) == 2 && limit != 0:
		panic(torch.NewError(op, torch.ErrValue, "MaxSize", "can only be combined with a size of one number"))
	case len(want) == 2:
		mustBeArea(op, "size", want[0], want[1])
		return want[0], want[1]
	case want == nil && limit == 0:
		panic(torch.NewError(op, torch.ErrValue, "size", "must not be nil without a MaxSize"))
	case want == nil:
		short, long = ratio(limit, short, long), limit
	default:
		if limit != 0 && limit <= want[0] {
			panic(torch.NewError(op, torch.ErrValue, "MaxSize",
				fmt.Sprintf("expected more than the size %d, got %d", want[0], limit)))
		}
		short, long = want[0], ratio(want[0], long, short)
		if limit != 0 && long > limit {
			short, long = ratio(limit, short, long), limit
		}
	}
	if short < 1 {
		panic(torch.NewError(op, torch.ErrValue, "size",
			fmt.Sprintf("the shorter side of an image of %d x %d would have no pixels", h, w)))
	}
	mustBeArea(op, "size", short, long)
	if w <= h {
		return long, short
	}
	return short, long
}

// ratio is Python's int(a * b / c).
func ratio(a, b, c int64) int64 { return int64(float64(a) * float64(b) / float64(c)) }

func resize(op string, x *torch.Tensor, c, h, w, nh, nw int64, mode Interpolation, antialias bool) *torch.Tensor {
	if nh == h && nw == w {
		return viewOf(x)
	}
	shape := withLast(x.Shape(), nh, nw)
	if x.Numel() == 0 {
		return x.NewEmpty(shape)
	}
	opts := []F.InterpolateOption{F.Sizes{nh, nw}, F.Mode(mode)}
	if mode == InterpolationBilinear || mode == InterpolationBicubic {
		opts = append(opts, F.AlignCorners(false), F.Antialias(antialias))
	}
	return torch.Tidy(func() *torch.Tensor {
		batch := setBatchStride(x.Reshape(-1, c, h, w), c, h, w)
		d := x.DType()
		native := d == torch.Float32 || d == torch.Float64 || d == torch.Uint8 && bytesResize(x, mode)
		if !native {
			batch = step(batch, func(x *torch.Tensor) *torch.Tensor { return x.To(torch.Float32) })
		}
		out := step(batch, func(x *torch.Tensor) *torch.Tensor { return F.Interpolate(x, opts...) })
		if !native {
			if mode == InterpolationBicubic && d == torch.Uint8 {
				out.Clamp_(0, 255)
			}
			if !d.IsFloatingPoint() {
				out.Round_()
			}
			out = toDType(out, d)
		}
		return out.Reshape(shape...)
	})
}

// setBatchStride sets the batch stride of a single image so that libtorch recognizes
// channels-last memory format. Without this, the result would not be channels-last, and
// byte images would be copied once more.
func setBatchStride(batch *torch.Tensor, c, h, w int64) *torch.Tensor {
	if batch.Size(0) != 1 || c == 1 || !batch.IsContiguous(torch.ChannelsLast) {
		return batch
	}
	stride := batch.Stride()
	if n := c * h * w; stride[0] != n {
		stride[0] = n
		return step(batch, func(x *torch.Tensor) *torch.Tensor {
			return x.AsStrided([]int64{1, c, h, w}, stride, x.StorageOffset())
		})
	}
	return batch
}

// bytesResize reports whether x, a byte image, is resized directly and not as float32. As
// in torchvision, these interpolations are computed directly: nearest neighbor; bicubic
// on the CPU; and bilinear on a CPU with vector instructions.
func bytesResize(x *torch.Tensor, mode Interpolation) bool {
	switch mode {
	case InterpolationNearest, InterpolationNearestExact:
		return true
	case InterpolationBicubic:
		return x.IsCPU()
	}
	return x.IsCPU() && hasVectors()
}

// hasVectors reports whether libtorch's kernels use AVX2 or AVX512. It asks libtorch only
// once, because the answer never changes.
var hasVectors = sync.OnceValue(func() bool {
	_, usage, _ := strings.Cut(torch.BuildInfo(), "CPU capability usage: ")
	return strings.HasPrefix(usage, "AVX2") || strings.HasPrefix(usage, "AVX512")
})
