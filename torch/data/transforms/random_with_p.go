package transforms

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// applyWithP applies f to x with probability p. Otherwise it returns a view of x.
func applyWithP(op string, p float64, x *torch.Tensor, f func(*torch.Tensor) *torch.Tensor) *torch.Tensor {
	opt.Sizes(op, x)
	if !happens(p) {
		return same(x)
	}
	return f(x)
}

func pyP(p float64) string { return "p=" + pyFloats(p) }

// RandomHorizontalFlip flips images left to right, or leaves them unchanged. Follows
// torchvision.transforms.RandomHorizontalFlip.
type RandomHorizontalFlip struct{ p float64 }

// NewRandomHorizontalFlip returns a RandomHorizontalFlip, which flips with probability
// [P], 0.5 by default. It panics with ErrValue for an invalid P.
func NewRandomHorizontalFlip(opts ...ProbabilityOption) *RandomHorizontalFlip {
	return &RandomHorizontalFlip{readP("transforms.NewRandomHorizontalFlip", 0.5, opts)}
}

// Forward returns imageops.HFlip of x, or a view of x.
func (r *RandomHorizontalFlip) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomHorizontalFlip", "Forward")
	return applyWithP("transforms.RandomHorizontalFlip(image)", r.p, x, imageops.HFlip)
}

// String returns the settings as Python prints them.
func (r *RandomHorizontalFlip) String() string {
	if r == nil {
		return "RandomHorizontalFlip(nil)"
	}
	return repr("RandomHorizontalFlip", pyP(r.p))
}

// RandomVerticalFlip flips images upside down, or leaves them unchanged. Follows
// torchvision.transforms.RandomVerticalFlip.
type RandomVerticalFlip struct{ p float64 }

// NewRandomVerticalFlip returns a RandomVerticalFlip, which flips with probability [P],
// 0.5 by default. It panics with ErrValue for an invalid P.
func NewRandomVerticalFlip(opts ...ProbabilityOption) *RandomVerticalFlip {
	return &RandomVerticalFlip{readP("transforms.NewRandomVerticalFlip", 0.5, opts)}
}

// Forward returns imageops.VFlip of x, or a view of x.
func (r *RandomVerticalFlip) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomVerticalFlip", "Forward")
	return applyWithP("transforms.RandomVerticalFlip(image)", r.p, x, imageops.VFlip)
}

// String returns the settings as Python prints them.
func (r *RandomVerticalFlip) String() string {
	if r == nil {
		return "RandomVerticalFlip(nil)"
	}
	return repr("RandomVerticalFlip", pyP(r.p))
}

// RandomGrayscale converts images to grayscale, with the same number of channels, or
// leaves them unchanged. Follows torchvision.transforms.RandomGrayscale.
type RandomGrayscale struct{ p float64 }

// NewRandomGrayscale returns a RandomGrayscale, which converts with probability [P], 0.1
// by default. It panics with ErrValue for an invalid P.
func NewRandomGrayscale(opts ...ProbabilityOption) *RandomGrayscale {
	return &RandomGrayscale{readP("transforms.NewRandomGrayscale", 0.1, opts)}
}

// Forward returns imageops.RGBToGrayscale of x, or a view of x.
func (r *RandomGrayscale) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomGrayscale", "Forward")
	return applyWithP("transforms.RandomGrayscale(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor {
		return imageops.RGBToGrayscale(x, NumOutputChannels(x.Size(-3)))
	})
}

// String returns the settings as Python prints them.
func (r *RandomGrayscale) String() string {
	if r == nil {
		return "RandomGrayscale(nil)"
	}
	return repr("RandomGrayscale", pyP(r.p))
}

// RandomInvert inverts images, or leaves them unchanged. Follows
// torchvision.transforms.RandomInvert.
type RandomInvert struct{ p float64 }

// NewRandomInvert returns a RandomInvert, which inverts with probability [P], 0.5 by
// default. It panics with ErrValue for an invalid P.
func NewRandomInvert(opts ...ProbabilityOption) *RandomInvert {
	return &RandomInvert{readP("transforms.NewRandomInvert", 0.5, opts)}
}

// Forward returns imageops.Invert of x, or a view of x.
func (r *RandomInvert) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomInvert", "Forward")
	return applyWithP("transforms.RandomInvert(image)", r.p, x, imageops.Invert)
}

// String returns the settings as Python prints them.
func (r *RandomInvert) String() string {
	if r == nil {
		return "RandomInvert(nil)"
	}
	return repr("RandomInvert", pyP(r.p))
}

// RandomAutocontrast maximizes the contrast of images, or leaves them unchanged. Follows
// torchvision.transforms.RandomAutocontrast.
type RandomAutocontrast struct{ p float64 }

// NewRandomAutocontrast returns a RandomAutocontrast, which maximizes the contrast with
// probability [P], 0.5 by default. It panics with ErrValue for an invalid P.
func NewRandomAutocontrast(opts ...ProbabilityOption) *RandomAutocontrast {
	return &RandomAutocontrast{readP("transforms.NewRandomAutocontrast", 0.5, opts)}
}

// Forward returns imageops.Autocontrast of x, or a view of x.
func (r *RandomAutocontrast) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomAutocontrast", "Forward")
	return applyWithP("transforms.RandomAutocontrast(image)", r.p, x, imageops.Autocontrast)
}

// String returns the settings as Python prints them.
func (r *RandomAutocontrast) String() string {
	if r == nil {
		return "RandomAutocontrast(nil)"
	}
	return repr("RandomAutocontrast", pyP(r.p))
}

// RandomEqualize equalizes the histogram of images, or leaves them unchanged. Follows
// torchvision.transforms.RandomEqualize.
type RandomEqualize struct{ p float64 }

// NewRandomEqualize returns a RandomEqualize, which equalizes the histogram with
// probability [P], 0.5 by default. It panics with ErrValue for an invalid P.
func NewRandomEqualize(opts ...ProbabilityOption) *RandomEqualize {
	return &RandomEqualize{readP("transforms.NewRandomEqualize", 0.5, opts)}
}

// Forward returns imageops.Equalize of x, or a view of x.
func (r *RandomEqualize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomEqualize", "Forward")
	return applyWithP("transforms.RandomEqualize(image)", r.p, x, imageops.Equalize)
}

// String returns the settings as Python prints them.
func (r *RandomEqualize) String() string {
	if r == nil {
		return "RandomEqualize(nil)"
	}
	return repr("RandomEqualize", pyP(r.p))
}

// RandomPosterize reduces the number of bits of each value, or leaves images unchanged.
// Follows torchvision.transforms.RandomPosterize.
type RandomPosterize struct {
	bits int64
	p    float64
}

// NewRandomPosterize returns a RandomPosterize, which keeps the given number of bits with
// probability [P], 0.5 by default. It panics with ErrValue for a number of bits outside 0
// to 8 and for an invalid P.
func NewRandomPosterize(bits int64, opts ...ProbabilityOption) *RandomPosterize {
	const op = "transforms.NewRandomPosterize"
	r := &RandomPosterize{bits, readP(op, 0.5, opts)}
	if r.bits < 0 || r.bits > 8 {
		panic(torch.NewError(op, torch.ErrValue, "bits", fmt.Sprintf("expected a number from 0 to 8, got %d", bits)))
	}
	return r
}

// Forward returns imageops.Posterize of x, or a view of x.
func (r *RandomPosterize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomPosterize", "Forward")
	return applyWithP("transforms.RandomPosterize(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor {
		return imageops.Posterize(x, r.bits)
	})
}

// String returns the settings as Python prints them.
func (r *RandomPosterize) String() string {
	if r == nil {
		return "RandomPosterize(nil)"
	}
	return repr("RandomPosterize", pyP(r.p), "bits="+pyInts(r.bits))
}

// RandomSolarize inverts the values of images at or above a threshold, or leaves images
// unchanged. Follows torchvision.transforms.RandomSolarize.
type RandomSolarize struct {
	threshold float64
	p         float64
}

// NewRandomSolarize returns a RandomSolarize, which inverts values with probability [P],
// 0.5 by default. It panics with ErrValue for a NaN threshold and for an invalid P.
func NewRandomSolarize(threshold float64, opts ...ProbabilityOption) *RandomSolarize {
	const op = "transforms.NewRandomSolarize"
	r := &RandomSolarize{threshold, readP(op, 0.5, opts)}
	if math.IsNaN(r.threshold) {
		panic(torch.NewError(op, torch.ErrValue, "threshold", fmt.Sprintf("expected a number, got %v", threshold)))
	}
	return r
}

// Forward returns imageops.Solarize of x, or a view of x.
func (r *RandomSolarize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomSolarize", "Forward")
	return applyWithP("transforms.RandomSolarize(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor {
		return imageops.Solarize(x, r.threshold)
	})
}

// String returns the settings as Python prints them.
func (r *RandomSolarize) String() string {
	if r == nil {
		return "RandomSolarize(nil)"
	}
	return repr("RandomSolarize", pyP(r.p), "threshold="+pyNumber(r.threshold))
}

// RandomAdjustSharpness sharpens or blurs images, or leaves them unchanged. Follows
// torchvision.transforms.RandomAdjustSharpness.
type RandomAdjustSharpness struct {
	sharpnessFactor float64
	p               float64
}

// NewRandomAdjustSharpness returns a RandomAdjustSharpness, which sharpens or blurs with
// probability [P], 0.5 by default. It panics with ErrValue for a negative factor and for an
// invalid P.
func NewRandomAdjustSharpness(sharpnessFactor float64, opts ...ProbabilityOption) *RandomAdjustSharpness {
	const op = "transforms.NewRandomAdjustSharpness"
	r := &RandomAdjustSharpness{sharpnessFactor, readP(op, 0.5, opts)}
	if !(r.sharpnessFactor >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "sharpnessFactor",
			fmt.Sprintf("expected 0 or more, got %v", sharpnessFactor)))
	}
	return r
}

// Forward returns imageops.AdjustSharpness of x, or a view of x.
func (r *RandomAdjustSharpness) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomAdjustSharpness", "Forward")
	return applyWithP("transforms.RandomAdjustSharpness(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor {
		return imageops.AdjustSharpness(x, r.sharpnessFactor)
	})
}

// String returns the settings as Python prints them.
func (r *RandomAdjustSharpness) String() string {
	if r == nil {
		return "RandomAdjustSharpness(nil)"
	}
	return repr("RandomAdjustSharpness", pyP(r.p), "sharpness_factor="+pyNumber(r.sharpnessFactor))
}
