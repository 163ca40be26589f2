package imageops

import (
	"fmt"
	"math"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// RGBToGrayscale returns the brightness of image, 0.2989 red + 0.587 green + 0.114 blue,
// in one channel or, with [NumOutputChannels](3), in three channels that share memory. A
// gray image is copied. It panics with ErrShape unless there are 1 or 3 channels, and
// with ErrValue for any other number of output channels. Follows
// torchvision.transforms.functional.rgb_to_grayscale.
func RGBToGrayscale(image *torch.Tensor, opts ...GrayscaleOption) *torch.Tensor {
	const op = "imageops.RGBToGrayscale(image)"
	n := common.Read(op, opts, NumOutputChannels(1))
	if n != 1 && n != 3 {
		panic(torch.NewError(op, torch.ErrValue, "NumOutputChannels", fmt.Sprintf("expected 1 or 3, got %d", n)))
	}
	c, _, _ := colors(op, image)
	return torch.Tidy(func() *torch.Tensor { return gray(image, c, int64(n)) })
}

// GrayscaleToRGB returns a gray image in three channels, as a copy. For any other image
// it returns a view. It panics with ErrShape unless there are 1 or at least 3 channels.
// Follows torchvision.transforms.v2.functional.grayscale_to_rgb.
func GrayscaleToRGB(image *torch.Tensor) *torch.Tensor {
	const op = "imageops.GrayscaleToRGB(image)"
	c, _, _ := sizes(op, image)
	switch {
	case c == 1:
		return gray(image, 1, 3)
	case c < 3:
		panic(torch.NewError(op, torch.ErrShape, "image", fmt.Sprintf("expected 1 or at least 3 channels, got %d", c)))
	}
	return viewOf(image)
}

func gray(x *torch.Tensor, c, n int64) *torch.Tensor {
	if c == 1 {
		if n == 1 {
			return x.Clone()
		}
		repeats := make([]int64, x.Dim())
		for i := range repeats {
			repeats[i] = 1
		}
		repeats[len(repeats)-3] = 3
		return x.Repeat(repeats...)
	}
	out := toDType(brightness(x), x.DType())
	if n == 3 {
		return out.Expand(x.Shape()...)
	}
	return out
}

// brightness returns the gray image of a color image. For integers, the result is float32.
func brightness(x *torch.Tensor) *torch.Tensor {
	r, g, b := x.Narrow(-3, 0, 1), x.Narrow(-3, 1, 1), x.Narrow(-3, 2, 1)
	defer closeAll(r, g, b)
	return r.MulScalar(0.2989).Add_(g, torch.Alpha(0.587)).Add_(b, torch.Alpha(0.114))
}

// blend returns ratio * x + (1 - ratio) * other, clipped to the range of x's dtype.
func blend(x, other *torch.Tensor, ratio float64) *torch.Tensor {
	out := x.MulScalar(ratio).Add_(other, torch.Alpha(1-ratio)).Clamp_(0, maxValue(x.DType()))
	return toDType(out, x.DType())
}

// factor panics unless x is an image of 1 or 3 channels and f is a valid factor. It returns
// the number of channels.
func factor(op string, x *torch.Tensor, arg string, f float64) (c int64) {
	c, _, _ = colors(op, x)
	if !(f >= 0) || math.IsInf(f, 1) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected 0 or more, got %v", f)))
	}
	return c
}

// AdjustBrightness multiplies image by a factor: 0 makes it black, 1 leaves it unchanged.
// The result is a new tensor. It panics with ErrShape unless there are 1 or 3 channels
// and with ErrValue for a negative factor. Follows
// torchvision.transforms.functional.adjust_brightness.
func AdjustBrightness(image *torch.Tensor, brightnessFactor float64) *torch.Tensor {
	factor("imageops.AdjustBrightness(image)", image, "brightnessFactor", brightnessFactor)
	return torch.Tidy(func() *torch.Tensor {
		return toDType(image.MulScalar(brightnessFactor).Clamp_(0, maxValue(image.DType())), image.DType())
	})
}

// AdjustContrast blends image with its mean brightness: a factor of 0 makes it uniformly
// gray, 1 leaves it unchanged. The result is a new tensor. It panics as
// [AdjustBrightness] does. Follows torchvision.transforms.functional.adjust_contrast.
func AdjustContrast(image *torch.Tensor, contrastFactor float64) *torch.Tensor {
	c := factor("imageops.AdjustContrast(image)", image, "contrastFactor", contrastFactor)
	return torch.Tidy(func() *torch.Tensor {
		var g *torch.Tensor
		if c == 3 {
			g = floorBrightness(image)
		} else {
			g = image.To(computeDType(image))
		}
		mean := g.Mean(torch.Dims{-3, -2, -1}, torch.KeepDim(true))
		if g != image {
			closeAll(g)
		}
		return blend(image, mean, contrastFactor)
	})
}

// floorBrightness returns the brightness of a color image, rounded down for integers.
func floorBrightness(x *torch.Tensor) *torch.Tensor {
	g := brightness(x)
	if !x.IsFloatingPoint() {
		g.Floor_()
	}
	return g
}

// AdjustSaturation blends image with its grayscale version: a factor of 0 makes it gray,
// 1 leaves it unchanged. The result is a new tensor; for a gray image it shares the
// image's memory. It panics as [AdjustBrightness] does. Follows
// torchvision.transforms.functional.adjust_saturation.
func AdjustSaturation(image *torch.Tensor, saturationFactor float64) *torch.Tensor {
	if factor("imageops.AdjustSaturation(image)", image, "saturationFactor", saturationFactor) == 1 {
		return viewOf(image)
	}
	return torch.Tidy(func() *torch.Tensor { return blend(image, floorBrightness(image), saturationFactor) })
}

// AdjustGamma raises image to the power of gamma: above 1 it darkens shadows, below 1 it
// lightens them. The result, a new tensor, is multiplied by the [Gain], 1 by default.
// AdjustGamma panics with ErrValue for a negative gamma. Follows
// torchvision.transforms.functional.adjust_gamma.
func AdjustGamma(image *torch.Tensor, gamma float64, opts ...GammaOption) *torch.Tensor {
	const op = "imageops.AdjustGamma(image)"
	gain := common.Read(op, opts, Gain(1))
	sizes(op, image)
	if !(gamma >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "gamma", fmt.Sprintf("expected 0 or more, got %v", gamma)))
	}
	return torch.Tidy(func() *torch.Tensor {
		var out *torch.Tensor
		if image.IsFloatingPoint() {
			out = image.PowScalar(gamma)
		} else {
			out = scaleRange(op, image, torch.Float32).PowScalar_(gamma)
		}
		if gain != 1 {
			out.MulScalar_(float64(gain)).Clamp_(0, 1)
		}
		return step(out, func(x *torch.Tensor) *torch.Tensor { return scaleRange(op, x, image.DType()) })
	})
}
