package imageops

import (
	"fmt"
	"math"

	common "github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// AdjustSharpness blends image with a blurred version: a factor of 0 blurs it, 1 leaves
// it unchanged and 2 sharpens it. Border pixels stay unchanged. The result is a new
// tensor; if a side has 2 pixels or fewer it shares the image's memory. It panics with
// ErrShape unless there are 1 or 3 channels and with ErrValue for a negative factor.
// Follows torchvision.transforms.functional.adjust_sharpness.
func AdjustSharpness(image *torch.Tensor, sharpnessFactor float64) *torch.Tensor {
	const op = "imageops.AdjustSharpness(image)"
	c := factor(op, image, "sharpnessFactor", sharpnessFactor)
	_, h, w := sizes(op, image)
	if image.Numel() == 0 || h <= 2 || w <= 2 {
		return viewOf(image)
	}
	return torch.Tidy(func() *torch.Tensor {
		d := computeDType(image)
		const a, b = 1.0 / 13, 5.0 / 13
		kernel := torch.FromSliceWith([]float64{a, a, a, a, b, a, a, a, a}, torch.Shape{3, 3}, d,
			image.Device()).Expand(c, 1, 3, 3)
		out := image.To(d, torch.Copy(true))
		flat := out.Reshape(-1, c, h, w)
		blurring := flat
		if needsGrad(image) {
			blurring = flat.Clone()
		}
		blurred := F.Conv2d(blurring, kernel, nil, F.Groups(c))
		if d != image.DType() {
			blurred.Round_()
		}
		inner := box(flat, 1, 1, h-2, w-2)
		inner.Add_(blurred.Sub_(inner), torch.Alpha(1-sharpnessFactor))
		closeAll(blurred, inner, flat)
		return toDType(out.Clamp_(0, maxValue(image.DType())), image.DType())
	})
}

// GaussianBlur blurs image with a Gaussian kernel. kernelSize is an odd int, or []int{x,
// y}. The standard deviation is the [Sigma], by default 0.15 times the size plus 0.35.
// The image is reflected at its border. The result is a new tensor. It panics with
// ErrType or ErrValue for an invalid size, with ErrValue for a deviation that is not
// positive, and with ErrShape if the image is not larger than half the kernel. Follows
// torchvision.transforms.functional.gaussian_blur.
func GaussianBlur(image *torch.Tensor, kernelSize any, opts ...BlurOption) *torch.Tensor {
	const op = "imageops.GaussianBlur(image)"
	size := opt.Ints(op, "kernelSize", kernelSize, 1, 2)
	if len(size) == 1 {
		size = append(size, size[0])
	}
	sigma := []float64{float64(size[0])*0.15 + 0.35, float64(size[1])*0.15 + 0.35}
	for _, o := range opts {
		switch o := o.(type) {
		case Sigma:
			sigma = []float64{float64(o), float64(o)}
		case Sigmas:
			sigma = opt.Floats(op, "Sigmas", append([]float64(nil), o...), 1, 2)
			sigma = []float64{sigma[0], sigma[len(sigma)-1]}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	c, h, w := sizes(op, image)
	for i, k := range size {
		if k < 1 || k%2 == 0 {
			panic(torch.NewError(op, torch.ErrValue, "kernelSize",
				fmt.Sprintf("expected odd positive numbers, got %v", size)))
		}
		if !(sigma[i] > 0) || math.IsInf(sigma[i], 1) {
			panic(torch.NewError(op, torch.ErrValue, "Sigma", fmt.Sprintf("expected positive numbers, got %v", sigma)))
		}
	}
	if image.Numel() == 0 {
		return viewOf(image)
	}
	if size[0]/2 >= w || size[1]/2 >= h {
		panic(torch.NewError(op, torch.ErrShape, "image",
			fmt.Sprintf("an image of %d x %d is too small for a kernel of %d x %d", h, w, size[1], size[0])))
	}
	return torch.Tidy(func() *torch.Tensor {
		d := computeDType(image)
		across, along := gaussian(size[0], sigma[0], d, image.Device()), gaussian(size[1], sigma[1], d, image.Device())
		kernel := along.Unsqueeze_(-1).Mul(across).Expand(c, 1, size[1], size[0])
		batch := toDType(image.Reshape(-1, c, h, w), d)
		padded := step(batch, func(x *torch.Tensor) *torch.Tensor {
			return F.Pad(x, []int64{size[0] / 2, size[0] / 2, size[1] / 2, size[1] / 2}, F.ModeReflect)
		})
		out := step(padded, func(x *torch.Tensor) *torch.Tensor { return F.Conv2d(x, kernel, nil, F.Groups(c)) })
		if d != image.DType() {
			out.Round_()
		}
		return toDType(out, image.DType()).Reshape(image.Shape()...)
	})
}

// gaussian returns a Gaussian kernel of n elements whose sum is 1.
func gaussian(n int64, sigma float64, d torch.DType, dev torch.Device) *torch.Tensor {
	end := float64(n-1) / (2 * math.Sqrt2)
	return torch.Tidy(func() *torch.Tensor {
		return torch.Linspace(-end, end, n, d, dev).DivScalar(sigma).PowScalar(2).Neg().Softmax(0)
	})
}

// GaussianNoise adds noise to image, drawn from the default generator of the image's
// device. The defaults are [Mean] 0 and [Sigma] 0.1, where 1 stands for the whole range
// of the dtype, for bytes too. The result is a new tensor, clipped to the range unless
// [Clip](false) is given. GaussianNoise panics with ErrDType for integers other than
// bytes and with ErrValue for a negative deviation. Follows
// torchvision.transforms.v2.functional.gaussian_noise.
func GaussianNoise(image *torch.Tensor, opts ...NoiseOption) *torch.Tensor {
	const op = "imageops.GaussianNoise(image)"
	mean, sigma, clip := common.Read3(op, opts, Mean(0), Sigma(0.1), Clip(true))
	sizes(op, image)
	if !(sigma >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "Sigma", fmt.Sprintf("expected 0 or more, got %v", sigma)))
	}
	if !image.IsFloatingPoint() && image.DType() != torch.Uint8 {
		panic(torch.NewError(op, torch.ErrDType, "image",
			fmt.Sprintf("expected floating-point numbers or bytes, got %v", image.DType())))
	}
	return torch.Tidy(func() *torch.Tensor {
		if image.IsFloatingPoint() {
			out := torch.RandnLike(image).MulScalar_(float64(sigma)).AddScalar_(float64(mean)).Add_(image)
			if clip {
				out.Clamp_(0, 1)
			}
			return out
		}
		noise := torch.RandnLike(image, torch.Float32).MulScalar_(float64(sigma) * 255).AddScalar_(float64(mean) * 255)
		out := toDType(noise, torch.Int16).Add_(image)
		if clip {
			out.Clamp_(0, 255)
		}
		return toDType(out, torch.Uint8)
	})
}
