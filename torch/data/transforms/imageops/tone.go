package imageops

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Invert returns the negative of image, a new tensor. Follows
// torchvision.transforms.functional.invert.
func Invert(image *torch.Tensor) *torch.Tensor {
	sizes("imageops.Invert(image)", image)
	return invert(image)
}

func invert(x *torch.Tensor) *torch.Tensor {
	switch d := x.DType(); {
	case d.IsFloatingPoint():
		return x.RSubScalar(1)
	case d == torch.Uint8:
		return x.BitwiseNot()
	default:
		return x.BitwiseXorScalar(maxValue(d))
	}
}

// Posterize keeps the given number of highest bits of each value, 0 to 8; floating-point
// numbers get the same number of levels. The result is a new tensor. If all bits are
// kept, it shares the image's memory. Posterize panics with ErrValue for any other number
// of bits. Follows torchvision.transforms.functional.posterize.
func Posterize(image *torch.Tensor, bits int64) *torch.Tensor {
	const op = "imageops.Posterize(image)"
	sizes(op, image)
	if bits < 0 || bits > 8 {
		panic(torch.NewError(op, torch.ErrValue, "bits", fmt.Sprintf("expected a number from 0 to 8, got %d", bits)))
	}
	if image.IsFloatingPoint() {
		levels := int64(1) << bits
		return image.MulScalar(levels).Floor_().Clamp_(0, levels-1).MulScalar_(1 / float64(levels))
	}
	n := int64(valueBits(image.DType()))
	if bits >= n {
		return viewOf(image)
	}
	return image.BitwiseAndScalar((int64(1)<<bits - 1) << (n - bits))
}

// Solarize inverts the values of image at or above a threshold. The result is a new
// tensor. It panics with ErrValue for a threshold above the largest value. Follows
// torchvision.transforms.functional.solarize.
func Solarize(image *torch.Tensor, threshold float64) *torch.Tensor {
	const op = "imageops.Solarize(image)"
	sizes(op, image)
	if largest := maxValue(image.DType()); !(threshold <= float64(largest)) {
		panic(torch.NewError(op, torch.ErrValue, "threshold",
			fmt.Sprintf("expected at most %d, the largest value of %v, got %v", largest, image.DType(), threshold)))
	}
	return torch.Tidy(func() *torch.Tensor {
		bright, negative := image.GeScalar(threshold), invert(image)
		return torch.Where(bright, negative, image)
	})
}

// Autocontrast stretches the values of each channel of image to the full range of the
// dtype; a channel of a single value stays unchanged. The result is a new tensor. It
// panics with ErrShape unless there are 1 or 3 channels. Follows
// torchvision.transforms.functional.autocontrast.
func Autocontrast(image *torch.Tensor) *torch.Tensor {
	colors("imageops.Autocontrast(image)", image)
	if image.Numel() == 0 {
		return viewOf(image)
	}
	return torch.Tidy(func() *torch.Tensor {
		largest := maxValue(image.DType())
		x := image
		if !image.IsFloatingPoint() {
			x = image.To(torch.Float32)
		}
		lo, hi := x.Amin(torch.Dims{-2, -1}, torch.KeepDim(true)), x.Amax(torch.Dims{-2, -1}, torch.KeepDim(true))
		flat := hi.Eq(lo)
		scale := hi.Sub(lo).MulScalar(1/float64(largest)).MaskedFill(flat, 1)
		lo = lo.MaskedFill(flat, 0)
		if needsGrad(image) {
			return x.Sub(lo).Div(scale).Clamp(0, largest)
		}
		var out *torch.Tensor
		if x == image {
			out = x.Sub(lo)
		} else {
			out = x.Sub_(lo)
		}
		return toDType(out.Div_(scale).Clamp_(0, largest), image.DType())
	})
}

// Equalize equalizes the histogram of each channel of image over 256 levels.
// Floating-point numbers are rounded to bytes. The result is a new tensor. Follows
// torchvision.transforms.functional.equalize.
func Equalize(image *torch.Tensor) *torch.Tensor {
	const op = "imageops.Equalize(image)"
	_, h, w := sizes(op, image)
	if image.Numel() == 0 {
		return viewOf(image)
	}
	return torch.Tidy(func() *torch.Tensor {
		pixels := scaleRange(op, image, torch.Uint8)
		shape := pixels.Shape()
		batch := shape[:len(shape)-2]
		flat := step(pixels.Reshape(append(append([]int64(nil), batch...), h*w)...),
			func(x *torch.Tensor) *torch.Tensor {
				return x.To(torch.Int64)
			})
		ones := torch.Ones(torch.Shape{1}, torch.Int32, flat.Device())
		hist := torch.Zeros(append(append(torch.Shape(nil), batch...), 256), torch.Int32, flat.Device())
		hist.ScatterAdd_(-1, flat, ones.ExpandAs(flat))
		sums := hist.CumSum(-1)
		// Leave out the pixels with the largest value that occurs, because the table below
		// maps this value to the largest level.
		last := sums.ArgMax(torch.Dim(-1)).Unsqueeze_(-1)
		step := hist.Gather(-1, last).RSubScalar(h*w).DivScalar_(255, torch.RoundingModeFloor)
		spread := step.NeScalar(0).Unsqueeze_(-1)
		half := step.FloorDivideScalar(2)
		sums = sums.Narrow(-1, 0, 255)
		levels := sums.Add_(half).Div_(step.Clamp_(1, nil), torch.RoundingModeFloor).Clamp_(0, 255).To(torch.Uint8)
		first := torch.Zeros(torch.Shape{1}, torch.Uint8, flat.Device()).Expand(append(append([]int64(nil), batch...),
			1)...)
		table := torch.Cat([]*torch.Tensor{first, levels}, -1)
		closeAll(hist, levels)
		even := table.Gather(-1, flat).View(shape...)
		closeAll(flat)
		return scaleRange(op, torch.Where(spread, even, pixels), image.DType())
	})
}
