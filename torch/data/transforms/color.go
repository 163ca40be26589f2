package transforms

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Grayscale converts images to grayscale. Follows torchvision.transforms.Grayscale.
type Grayscale struct{ n NumOutputChannels }

// NewGrayscale returns a Grayscale. Its results have one channel or, with
// [NumOutputChannels](3), three. It panics with ErrValue for any other number of
// channels.
func NewGrayscale(opts ...GrayscaleOption) *Grayscale {
	const op = "transforms.NewGrayscale"
	n := common.Read(op, opts, NumOutputChannels(1))
	if n != 1 && n != 3 {
		panic(torch.NewError(op, torch.ErrValue, "NumOutputChannels", fmt.Sprintf("expected 1 or 3, got %d", n)))
	}
	return &Grayscale{n}
}

// Forward returns imageops.RGBToGrayscale of x.
func (g *Grayscale) Forward(x *torch.Tensor) *torch.Tensor {
	there(g != nil, "Grayscale", "Forward")
	return imageops.RGBToGrayscale(x, g.n)
}

// String returns the settings as Python prints them.
func (g *Grayscale) String() string {
	if g == nil {
		return "Grayscale(nil)"
	}
	return repr("Grayscale", "num_output_channels="+pyInts(int64(g.n)))
}

// RGB converts gray images to three channels. Follows torchvision.transforms.v2.RGB.
type RGB struct{}

// NewRGB returns an RGB.
func NewRGB() *RGB { return new(RGB) }

// Forward returns imageops.GrayscaleToRGB of x.
func (*RGB) Forward(x *torch.Tensor) *torch.Tensor { return imageops.GrayscaleToRGB(x) }

// String returns "RGB()".
func (*RGB) String() string { return "RGB()" }

// RandomChannelPermutation permutes the channels of images at random. Follows
// torchvision.transforms.v2.RandomChannelPermutation.
type RandomChannelPermutation struct{}

// NewRandomChannelPermutation returns a RandomChannelPermutation.
func NewRandomChannelPermutation() *RandomChannelPermutation { return new(RandomChannelPermutation) }

// Forward returns imageops.PermuteChannels of x.
func (*RandomChannelPermutation) Forward(x *torch.Tensor) *torch.Tensor {
	c, _, _ := opt.Sizes("transforms.RandomChannelPermutation(image)", x)
	return imageops.PermuteChannels(x, order(int(c)))
}

// String returns "RandomChannelPermutation()".
func (*RandomChannelPermutation) String() string { return "RandomChannelPermutation()" }

// jitter is the range from which ColorJitter draws one of its factors.
type jitter struct {
	given  bool
	lo, hi float64
}

// around returns the range from center - v to center + v. If center is 1, it is a range
// of factors and contains no negative numbers.
func around(op, arg string, v, center, largest float64) jitter {
	if !(v >= 0) {
		panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("a single number must not be negative, got %v", v)))
	}
	lo := center - v
	if center == 1 {
		lo = max(lo, 0)
	}
	return between(op, arg, [2]float64{lo, center + v}, center, largest)
}

// between returns the range r of a factor. given is false if both ends are the center,
// because such a factor changes nothing.
func between(op, arg string, r [2]float64, center, largest float64) jitter {
	smallest := 0.0
	if center == 0 {
		smallest = -largest
	}
	checkRange(op, arg, r[0], r[1], smallest, largest)
	return jitter{r[0] != center || r[1] != center, r[0], r[1]}
}

// ColorJitter changes brightness, contrast, saturation and hue of images by random
// factors, in a random order. Follows torchvision.transforms.ColorJitter.
type ColorJitter struct{ parts [4]jitter }

// NewColorJitter returns a ColorJitter, which without options changes nothing. It panics
// with ErrValue for negative numbers, for invalid ranges or ranges with negative factors,
// and for a hue outside -0.5 to 0.5.
func NewColorJitter(opts ...ColorJitterOption) *ColorJitter {
	const op = "transforms.NewColorJitter"
	j := new(ColorJitter)
	for _, o := range opts {
		switch o := o.(type) {
		case Brightness:
			j.parts[0] = around(op, "Brightness", float64(o), 1, infinity)
		case BrightnessRange:
			j.parts[0] = between(op, "BrightnessRange", o, 1, infinity)
		case Contrast:
			j.parts[1] = around(op, "Contrast", float64(o), 1, infinity)
		case ContrastRange:
			j.parts[1] = between(op, "ContrastRange", o, 1, infinity)
		case Saturation:
			j.parts[2] = around(op, "Saturation", float64(o), 1, infinity)
		case SaturationRange:
			j.parts[2] = between(op, "SaturationRange", o, 1, infinity)
		case Hue:
			j.parts[3] = around(op, "Hue", float64(o), 0, 0.5)
		case HueRange:
			j.parts[3] = between(op, "HueRange", o, 0, 0.5)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return j
}

// adjust applies one adjustment of a ColorJitter to x with the given factor. i is its
// index, from brightness (0) to hue (3).
func adjust(i int64, x *torch.Tensor, factor float64) *torch.Tensor {
	switch i {
	case 0:
		return imageops.AdjustBrightness(x, factor)
	case 1:
		return imageops.AdjustContrast(x, factor)
	case 2:
		return imageops.AdjustSaturation(x, factor)
	}
	return imageops.AdjustHue(x, factor)
}

// Forward returns x with changed colors, or a view of x if nothing changes.
func (j *ColorJitter) Forward(x *torch.Tensor) *torch.Tensor {
	there(j != nil, "ColorJitter", "Forward")
	opt.Sizes("transforms.ColorJitter(image)", x)
	steps := order(len(j.parts))
	var factors [4]float64
	for i, p := range j.parts {
		if p.given {
			factors[i] = uniform(p.lo, p.hi)
		}
	}
	return torch.Tidy(func() *torch.Tensor {
		out := x
		for _, i := range steps {
			if j.parts[i].given {
				out = own.Instead(out, adjust(i, out, factors[i]))
			}
		}
		if out == x {
			return same(x)
		}
		return out
	})
}

// String returns the settings as Python prints them.
func (j *ColorJitter) String() string {
	if j == nil {
		return "ColorJitter(nil)"
	}
	var said []string
	for i, name := range []string{"brightness", "contrast", "saturation", "hue"} {
		if p := j.parts[i]; p.given {
			said = append(said, name+"=("+pyFloats(p.lo, p.hi)+")")
		}
	}
	return repr("ColorJitter", said...)
}
