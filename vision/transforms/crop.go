package transforms

import (
	"fmt"
	"math"
	"slices"

	"github.com/gotorch/gotorch/torch"
	images "github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
)

// CenterCrop crops samples at the center. Follows torchvision.transforms.v2.CenterCrop.
type CenterCrop struct{ h, w int64 }

// NewCenterCrop returns a CenterCrop. size is []int{height, width}, or an int for both. Smaller images
// are padded with 0. It panics with ErrType for any other type of size and with ErrValue for a size
// that is not positive.
func NewCenterCrop(size any) *CenterCrop {
	h, w := pair("transforms.NewCenterCrop", "size", size)
	return &CenterCrop{h, w}
}

// Forward returns the center of the sample.
func (c *CenterCrop) Forward(s Sample) Sample {
	there(c != nil, "CenterCrop")
	return apply("transforms.CenterCrop(s)", s, func(s Sample) Sample {
		crop := func(x *torch.Tensor) *torch.Tensor { return imageops.CenterCrop(x, []int64{c.h, c.w}) }
		start := func(size [2]int64) (top, left int64) {
			return round(float64(size[0]-c.h) / 2), round(float64(size[1]-c.w) / 2)
		}
		return geometry{
			image: crop, mask: crop,
			boxes: func(b BoundingBoxes) BoundingBoxes {
				top, left := start(b.CanvasSize)
				return b.shift(top, left, c.h, c.w)
			},
			points: func(k KeyPoints) KeyPoints {
				top, left := start(k.CanvasSize)
				return k.shift(top, left, c.h, c.w)
			},
		}.apply(s)
	})
}

// String returns the settings as Python prints them.
func (c *CenterCrop) String() string {
	if c == nil {
		return "CenterCrop(nil)"
	}
	return repr("CenterCrop", "size=("+pyInts(c.h, c.w)+")")
}

// RandomCrop crops samples at a random position. Follows torchvision.transforms.v2.RandomCrop.
type RandomCrop struct {
	h, w     int64
	sides    [4]int64 // the pixels added at the left, top, right and bottom
	ifNeeded bool
	fill     filling
	printed  *images.RandomCrop
}

// NewRandomCrop returns a RandomCrop. size is []int{height, width}, or an int for both. Samples are
// first padded by [Padding]. With [PadIfNeeded], samples that are still smaller than size are then padded
// to at least size. It panics with ErrType for any other type of size, and with ErrValue for a size
// that is not positive, for [Paddings] of a length other than 1, 2 or 4, for an unknown
// [PaddingMode] and for several [Fills] with a mode other than PaddingModeConstant.
func NewRandomCrop(size any, opts ...RandomCropOption) *RandomCrop {
	const op = "transforms.NewRandomCrop"
	c := &RandomCrop{fill: filling{image: []float64{0}, mode: PaddingModeConstant}}
	var padding []int64
	for _, o := range opts {
		switch o := o.(type) {
		case Padding:
			padding = []int64{int64(o)}
		case Paddings:
			padding = slices.Clone(o)
		case PadIfNeeded:
			c.ifNeeded = bool(o)
		default:
			if !c.fill.read(o) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	c.fill.check(op)
	c.h, c.w = pair(op, "size", size)
	c.printed = images.NewRandomCrop(size, images.Paddings(padding), images.PadIfNeeded(c.ifNeeded),
		images.Fills(c.fill.image), images.PaddingMode(c.fill.mode))
	c.sides = sidesOf(padding)
	return c
}

// sidesOf returns the pixels that a padding of 0, 1, 2 or 4 numbers adds at the left, top, right and bottom.
func sidesOf(padding []int64) [4]int64 {
	switch len(padding) {
	case 0:
		return [4]int64{}
	case 1:
		return [4]int64{padding[0], padding[0], padding[0], padding[0]}
	case 2:
		return [4]int64{padding[0], padding[1], padding[0], padding[1]}
	}
	return [4]int64(padding)
}

// Forward returns a random crop of the sample. It panics with ErrValue if the crop is larger than the padded
// sample.
func (c *RandomCrop) Forward(s Sample) Sample {
	there(c != nil, "RandomCrop")
	const op = "transforms.RandomCrop(s)"
	return apply(op, s, func(s Sample) Sample {
		h, w := s.size(op)
		left, top, right, bottom := c.sides[0], c.sides[1], c.sides[2], c.sides[3]
		h, w = h+top+bottom, w+left+right
		if c.ifNeeded {
			if diff := c.h - h; diff > 0 {
				top, bottom, h = top+diff, bottom+diff, h+2*diff
			}
			if diff := c.w - w; diff > 0 {
				left, right, w = left+diff, right+diff, w+2*diff
			}
		}
		if h < c.h || w < c.w {
			panic(torch.NewError(op, torch.ErrValue, "s",
				fmt.Sprintf("a crop of %d x %d is larger than the padded size of %d x %d", c.h, c.w, h, w)))
		}
		if left != 0 || top != 0 || right != 0 || bottom != 0 {
			s = padded(op, left, top, right, bottom, c.fill).apply(s)
		}
		var y, x int64
		if h > c.h {
			y = integer(0, h-c.h+1)
		}
		if w > c.w {
			x = integer(0, w-c.w+1)
		}
		if h > c.h || w > c.w {
			s = cropped(y, x, c.h, c.w).apply(s)
		}
		return s
	})
}

// String returns the settings as Python prints them.
func (c *RandomCrop) String() string {
	if c == nil {
		return "RandomCrop(nil)"
	}
	return c.printed.String()
}

// RandomResizedCrop crops a part of random position, size and aspect ratio, and resizes the part. Follows
// torchvision.transforms.v2.RandomResizedCrop.
type RandomResizedCrop struct {
	h, w      int64
	scale     ScaleOption
	ratio     RatioOption
	logs      [2]float64
	mode      Interpolation
	antialias bool
	printed   *images.RandomResizedCrop
}

// NewRandomResizedCrop returns a RandomResizedCrop. size is []int{height, width}, or an int for
// both. It panics with ErrType for any other type of size, and with ErrValue for a size that is not
// positive, for ranges that are invalid or not positive, and for an unknown [Interpolation].
func NewRandomResizedCrop(size any, opts ...RandomResizedCropOption) *RandomResizedCrop {
	const op = "transforms.NewRandomResizedCrop"
	r := &RandomResizedCrop{
		scale: Scale(0.08, 1), ratio: Ratio(3.0/4, 4.0/3), mode: InterpolationBilinear, antialias: true,
	}
	for _, o := range opts {
		switch o := o.(type) {
		case ScaleOption:
			r.scale = o
		case RatioOption:
			r.ratio = o
		case Interpolation:
			r.mode = o
		case Antialias:
			r.antialias = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	r.mode.check(op)
	r.h, r.w = pair(op, "size", size)
	r.printed = images.NewRandomResizedCrop(size, images.Scale(r.scale.Min, r.scale.Max),
		images.Ratio(r.ratio.Min, r.ratio.Max), r.mode.image(), images.Antialias(r.antialias))
	r.logs = logarithms(r.ratio.Min, r.ratio.Max)
	return r
}

// Forward returns a random part of the sample, resized. It tries ten random parts. If none of them fits,
// it takes the largest centered part whose aspect ratio is allowed.
func (r *RandomResizedCrop) Forward(s Sample) Sample {
	there(r != nil, "RandomResizedCrop")
	const op = "transforms.RandomResizedCrop(s)"
	return apply(op, s, func(s Sample) Sample {
		height, width := s.size(op)
		top, left, h, w := r.draw(height, width)
		if h == 0 || w == 0 {
			panic(torch.NewError(op, torch.ErrShape, "s",
				fmt.Sprintf("no part of %d x %d pixels has an aspect ratio within Ratio", height, width)))
		}
		return cropped(top, left, h, w).
			then(resized(func(_, _ int64) (nh, nw int64) { return r.h, r.w }, r.mode, r.antialias)).apply(s)
	})
}

func (r *RandomResizedCrop) draw(height, width int64) (top, left, h, w int64) {
	area := float64(height * width)
	for range 10 {
		part := area * uniform(r.scale.Min, r.scale.Max)
		ratio := aspect(r.logs)
		w, h = round(math.Sqrt(part*ratio)), round(math.Sqrt(part/ratio))
		if 0 < w && w <= width && 0 < h && h <= height {
			top = integer(0, height-h+1)
			return top, integer(0, width-w+1), h, w
		}
	}
	h, w = height, width
	switch whole := float64(width) / float64(height); {
	case whole < r.ratio.Min:
		h = round(float64(w) / r.ratio.Min)
	case whole > r.ratio.Max:
		w = round(float64(h) * r.ratio.Max)
	}
	return (height - h) / 2, (width - w) / 2, h, w
}

// String returns the settings as Python prints them.
func (r *RandomResizedCrop) String() string {
	if r == nil {
		return "RandomResizedCrop(nil)"
	}
	return r.printed.String()
}
