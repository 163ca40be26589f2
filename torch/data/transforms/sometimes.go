package transforms

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// sometimes applies f to an image with probability p.
func sometimes(op string, p float64, x *torch.Tensor, f func(*torch.Tensor) *torch.Tensor) *torch.Tensor {
	opt.Sizes(op, x)
	if !happens(p) {
		return same(x)
	}
	return f(x)
}

func pyP(p float64) string { return "p=" + pyFloats(p) }

// RandomHorizontalFlip exchanges left and right of images, or leaves them as they are.
// Follows torchvision.transforms.RandomHorizontalFlip.
type RandomHorizontalFlip struct{ p float64 }

// NewRandomHorizontalFlip makes a RandomHorizontalFlip, which does so with probability [P],
// 0.5 unless given. It panics with ErrValue for a P that is no probability.
func NewRandomHorizontalFlip(opts ...ProbabilityOption) *RandomHorizontalFlip {
	return &RandomHorizontalFlip{readP("transforms.NewRandomHorizontalFlip", 0.5, opts)}
}

// Forward returns what imageops.HFlip makes of x, or x in a tensor of its own.
func (r *RandomHorizontalFlip) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomHorizontalFlip", "Forward")
	return sometimes("transforms.RandomHorizontalFlip(image)", r.p, x, imageops.HFlip)
}

// String prints the settings as Python does.
func (r *RandomHorizontalFlip) String() string {
	if r == nil {
		return "RandomHorizontalFlip(nil)"
	}
	return repr("RandomHorizontalFlip", pyP(r.p))
}

// RandomVerticalFlip turns images upside down, or leaves them as they are.
// Follows torchvision.transforms.RandomVerticalFlip.
type RandomVerticalFlip struct{ p float64 }

// NewRandomVerticalFlip makes a RandomVerticalFlip, which does so with probability [P], 0.5
// unless given. It panics with ErrValue for a P that is no probability.
func NewRandomVerticalFlip(opts ...ProbabilityOption) *RandomVerticalFlip {
	return &RandomVerticalFlip{readP("transforms.NewRandomVerticalFlip", 0.5, opts)}
}

// Forward returns what imageops.VFlip makes of x, or x in a tensor of its own.
func (r *RandomVerticalFlip) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomVerticalFlip", "Forward")
	return sometimes("transforms.RandomVerticalFlip(image)", r.p, x, imageops.VFlip)
}

// String prints the settings as Python does.
func (r *RandomVerticalFlip) String() string {
	if r == nil {
		return "RandomVerticalFlip(nil)"
	}
	return repr("RandomVerticalFlip", pyP(r.p))
}

// RandomGrayscale makes images gray, with as many channels as they have, or leaves them as
// they are. Follows torchvision.transforms.RandomGrayscale.
type RandomGrayscale struct{ p float64 }

// NewRandomGrayscale makes a RandomGrayscale, which does so with probability [P], 0.1
// unless given. It panics with ErrValue for a P that is no probability.
func NewRandomGrayscale(opts ...ProbabilityOption) *RandomGrayscale {
	return &RandomGrayscale{readP("transforms.NewRandomGrayscale", 0.1, opts)}
}

// Forward returns what imageops.RGBToGrayscale makes of x, or x in a tensor of its own.
func (r *RandomGrayscale) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomGrayscale", "Forward")
	return sometimes("transforms.RandomGrayscale(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor { return imageops.RGBToGrayscale(x, NumOutputChannels(x.Size(-3))) })
}

// String prints the settings as Python does.
func (r *RandomGrayscale) String() string {
	if r == nil {
		return "RandomGrayscale(nil)"
	}
	return repr("RandomGrayscale", pyP(r.p))
}

// RandomInvert inverts images, or leaves them as they are.
// Follows torchvision.transforms.RandomInvert.
type RandomInvert struct{ p float64 }

// NewRandomInvert makes a RandomInvert, which does so with probability [P], 0.5 unless
// given. It panics with ErrValue for a P that is no probability.
func NewRandomInvert(opts ...ProbabilityOption) *RandomInvert {
	return &RandomInvert{readP("transforms.NewRandomInvert", 0.5, opts)}
}

// Forward returns what imageops.Invert makes of x, or x in a tensor of its own.
func (r *RandomInvert) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomInvert", "Forward")
	return sometimes("transforms.RandomInvert(image)", r.p, x, imageops.Invert)
}

// String prints the settings as Python does.
func (r *RandomInvert) String() string {
	if r == nil {
		return "RandomInvert(nil)"
	}
	return repr("RandomInvert", pyP(r.p))
}

// RandomAutocontrast stretches the values of images, or leaves them as they are.
// Follows torchvision.transforms.RandomAutocontrast.
type RandomAutocontrast struct{ p float64 }

// NewRandomAutocontrast makes a RandomAutocontrast, which does so with probability [P], 0.5
// unless given. It panics with ErrValue for a P that is no probability.
func NewRandomAutocontrast(opts ...ProbabilityOption) *RandomAutocontrast {
	return &RandomAutocontrast{readP("transforms.NewRandomAutocontrast", 0.5, opts)}
}

// Forward returns what imageops.Autocontrast makes of x, or x in a tensor of its own.
func (r *RandomAutocontrast) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomAutocontrast", "Forward")
	return sometimes("transforms.RandomAutocontrast(image)", r.p, x, imageops.Autocontrast)
}

// String prints the settings as Python does.
func (r *RandomAutocontrast) String() string {
	if r == nil {
		return "RandomAutocontrast(nil)"
	}
	return repr("RandomAutocontrast", pyP(r.p))
}

// RandomEqualize spreads the values of images evenly, or leaves them as they are.
// Follows torchvision.transforms.RandomEqualize.
type RandomEqualize struct{ p float64 }

// NewRandomEqualize makes a RandomEqualize, which does so with probability [P], 0.5 unless
// given. It panics with ErrValue for a P that is no probability.
func NewRandomEqualize(opts ...ProbabilityOption) *RandomEqualize {
	return &RandomEqualize{readP("transforms.NewRandomEqualize", 0.5, opts)}
}

// Forward returns what imageops.Equalize makes of x, or x in a tensor of its own.
func (r *RandomEqualize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomEqualize", "Forward")
	return sometimes("transforms.RandomEqualize(image)", r.p, x, imageops.Equalize)
}

// String prints the settings as Python does.
func (r *RandomEqualize) String() string {
	if r == nil {
		return "RandomEqualize(nil)"
	}
	return repr("RandomEqualize", pyP(r.p))
}

// RandomPosterize keeps some bits of the values of images, or leaves them as they are.
// Follows torchvision.transforms.RandomPosterize.
type RandomPosterize struct {
	bits int64
	p    float64
}

// NewRandomPosterize makes a RandomPosterize, which does so with probability [P], 0.5
// unless given. It panics with ErrValue for a number of bits outside 0 to 8 and for a P
// that is no probability.
func NewRandomPosterize(bits int64, opts ...ProbabilityOption) *RandomPosterize {
	const op = "transforms.NewRandomPosterize"
	r := &RandomPosterize{bits, readP(op, 0.5, opts)}
	if r.bits < 0 || r.bits > 8 {
		panic(torch.NewError(op, torch.ErrValue, "bits", fmt.Sprintf("expected a number from 0 to 8, got %d", bits)))
	}
	return r
}

// Forward returns what imageops.Posterize makes of x, or x in a tensor of its own.
func (r *RandomPosterize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomPosterize", "Forward")
	return sometimes("transforms.RandomPosterize(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor { return imageops.Posterize(x, r.bits) })
}

// String prints the settings as Python does.
func (r *RandomPosterize) String() string {
	if r == nil {
		return "RandomPosterize(nil)"
	}
	return repr("RandomPosterize", pyP(r.p), "bits="+pyInts(r.bits))
}

// RandomSolarize inverts the values of images from a threshold on, or leaves them as they are.
// Follows torchvision.transforms.RandomSolarize.
type RandomSolarize struct {
	threshold float64
	p         float64
}

// NewRandomSolarize makes a RandomSolarize, which does so with probability [P], 0.5 unless
// given. It panics with ErrValue for a threshold that is no number and for a P that is no
// probability.
func NewRandomSolarize(threshold float64, opts ...ProbabilityOption) *RandomSolarize {
	const op = "transforms.NewRandomSolarize"
	r := &RandomSolarize{threshold, readP(op, 0.5, opts)}
	if math.IsNaN(r.threshold) {
		panic(torch.NewError(op, torch.ErrValue, "threshold", fmt.Sprintf("expected a number, got %v", threshold)))
	}
	return r
}

// Forward returns what imageops.Solarize makes of x, or x in a tensor of its own.
func (r *RandomSolarize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomSolarize", "Forward")
	return sometimes("transforms.RandomSolarize(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor { return imageops.Solarize(x, r.threshold) })
}

// String prints the settings as Python does.
func (r *RandomSolarize) String() string {
	if r == nil {
		return "RandomSolarize(nil)"
	}
	return repr("RandomSolarize", pyP(r.p), "threshold="+pyNumber(r.threshold))
}

// RandomAdjustSharpness sharpens or blurs images, or leaves them as they are.
// Follows torchvision.transforms.RandomAdjustSharpness.
type RandomAdjustSharpness struct {
	sharpnessFactor float64
	p               float64
}

// NewRandomAdjustSharpness makes a RandomAdjustSharpness, which does so with probability
// [P], 0.5 unless given. It panics with ErrValue for a negative factor and for a P that is
// no probability.
func NewRandomAdjustSharpness(sharpnessFactor float64, opts ...ProbabilityOption) *RandomAdjustSharpness {
	const op = "transforms.NewRandomAdjustSharpness"
	r := &RandomAdjustSharpness{sharpnessFactor, readP(op, 0.5, opts)}
	if !(r.sharpnessFactor >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "sharpnessFactor", fmt.Sprintf("expected a number from 0 on, got %v", sharpnessFactor)))
	}
	return r
}

// Forward returns what imageops.AdjustSharpness makes of x, or x in a tensor of its own.
func (r *RandomAdjustSharpness) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomAdjustSharpness", "Forward")
	return sometimes("transforms.RandomAdjustSharpness(image)", r.p, x, func(x *torch.Tensor) *torch.Tensor { return imageops.AdjustSharpness(x, r.sharpnessFactor) })
}

// String prints the settings as Python does.
func (r *RandomAdjustSharpness) String() string {
	if r == nil {
		return "RandomAdjustSharpness(nil)"
	}
	return repr("RandomAdjustSharpness", pyP(r.p), "sharpness_factor="+pyNumber(r.sharpnessFactor))
}
