package transforms

import (
	"fmt"
	"math"

	common "github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Resize resizes images. Follows torchvision.transforms.Resize.
type Resize struct {
	size      []int64 // nil if only MaxSize is given
	mode      Interpolation
	limit     int64
	antialias bool
}

// NewResize returns a Resize. size is []int{height, width}, or an int for the shorter
// side; it may be nil with a [MaxSize]. The [Interpolation] is InterpolationBilinear by
// default. It panics with ErrType for any other type of size, and with ErrValue for a
// size that is not positive, for a MaxSize together with a height and width, for a
// MaxSize that is not larger than size, and for an unknown interpolation.
func NewResize(size any, opts ...ResizeOption) *Resize {
	const op = "transforms.NewResize"
	mode, antialias, limit := common.Read3(op, opts, InterpolationBilinear, Antialias(true), MaxSize(0))
	r := &Resize{mode: mode, antialias: bool(antialias), limit: int64(limit)}
	r.mode.CheckResizing(op)
	if size != nil {
		r.size = opt.Ints(op, "size", size, 1, 2)
		opt.CheckPositive(op, "size", r.size...)
	}
	wrong := func(arg, message string) { panic(torch.NewError(op, torch.ErrValue, arg, message)) }
	switch {
	case r.limit < 0 || r.limit > opt.MaxPixels:
		wrong("MaxSize", fmt.Sprintf("expected a positive number up to %d, got %d", int64(opt.MaxPixels), r.limit))
	case size == nil && r.limit == 0:
		wrong("size", "must not be nil without a MaxSize")
	case len(r.size) == 2 && r.limit != 0:
		wrong("MaxSize", "can only be combined with a size of one number")
	case len(r.size) == 1 && r.limit != 0 && r.limit <= r.size[0]:
		wrong("MaxSize", fmt.Sprintf("expected more than the size %d, got %d", r.size[0], r.limit))
	}
	return r
}

// Forward returns imageops.Resize of x.
func (r *Resize) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "Resize", "Forward")
	var size any
	if r.size != nil {
		size = r.size
	}
	return imageops.Resize(x, size, r.mode, Antialias(r.antialias), MaxSize(r.limit))
}

// String returns the settings as Python prints them.
func (r *Resize) String() string {
	if r == nil {
		return "Resize(nil)"
	}
	size, limit := "", ""
	if r.size != nil {
		size = "size=[" + pyInts(r.size...) + "]"
	}
	if r.limit != 0 {
		limit = "max_size=" + pyInts(r.limit)
	}
	return repr("Resize", size, pyInterpolation(r.mode), limit, "antialias="+pyBool(r.antialias))
}

// pySize formats a height and a width as Python does.
func pySize(h, w int64) string { return "size=(" + pyInts(h, w) + ")" }

// CenterCrop crops images at the center. Follows torchvision.transforms.CenterCrop.
type CenterCrop struct{ h, w int64 }

// NewCenterCrop returns a CenterCrop. size is []int{height, width}, or an int for both.
// It panics with ErrType for any other type of size and with ErrValue for a size that is
// not positive.
func NewCenterCrop(size any) *CenterCrop {
	h, w := opt.Pair("transforms.NewCenterCrop", "size", size)
	return &CenterCrop{h, w}
}

// Forward returns imageops.CenterCrop of x: a view of x if x is large enough.
func (c *CenterCrop) Forward(x *torch.Tensor) *torch.Tensor {
	there(c != nil, "CenterCrop", "Forward")
	return imageops.CenterCrop(x, []int64{c.h, c.w})
}

// String returns the settings as Python prints them.
func (c *CenterCrop) String() string {
	if c == nil {
		return "CenterCrop(nil)"
	}
	return repr("CenterCrop", pySize(c.h, c.w))
}

// RandomResizedCrop crops a part of random position, size and aspect ratio, and resizes the
// part. Follows torchvision.transforms.RandomResizedCrop.
type RandomResizedCrop struct {
	h, w         int64
	scale, ratio [2]float64
	logs         [2]float64
	mode         Interpolation
	antialias    bool
}

// NewRandomResizedCrop returns a RandomResizedCrop. size is []int{height, width}, or an
// int for both. [Scale] is the range of the part's area, by default 0.08 to 1 times the
// image's area. [Ratio] is the range of the part's width divided by its height, by
// default 3/4 to 4/3. The [Interpolation] is InterpolationBilinear by default. It panics
// with ErrType for any other type of size, and with ErrValue for a size that is not
// positive, for ranges that are invalid or not positive, and for an unknown
// interpolation.
func NewRandomResizedCrop(size any, opts ...RandomResizedCropOption) *RandomResizedCrop {
	const op = "transforms.NewRandomResizedCrop"
	r := &RandomResizedCrop{
		scale: [2]float64{0.08, 1}, ratio: [2]float64{3.0 / 4, 4.0 / 3},
		mode: InterpolationBilinear, antialias: true,
	}
	for _, o := range opts {
		switch o := o.(type) {
		case ScaleOption:
			r.scale = [2]float64{o.Min, o.Max}
		case RatioOption:
			r.ratio = [2]float64{o.Min, o.Max}
		case Interpolation:
			r.mode = Interpolation(string(o))
		case Antialias:
			r.antialias = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	r.h, r.w = opt.Pair(op, "size", size)
	r.mode.CheckResizing(op)
	checkRange(op, "Scale", r.scale[0], r.scale[1], 0, infinity)
	mustBeRatio(op, r.ratio)
	r.logs = logarithms(r.ratio[0], r.ratio[1])
	return r
}

// mustBeRatio panics with ErrValue unless ratio is a range of positive numbers.
func mustBeRatio(op string, ratio [2]float64) {
	checkRange(op, "Ratio", ratio[0], ratio[1], math.SmallestNonzeroFloat32, infinity)
}

// Forward returns a random part of x, resized as by imageops.ResizedCrop. It tries ten
// random parts. If none of them fits into x, it takes the largest centered part whose
// aspect ratio is allowed.
func (r *RandomResizedCrop) Forward(x *torch.Tensor) *torch.Tensor {
	there(r != nil, "RandomResizedCrop", "Forward")
	const op = "transforms.RandomResizedCrop(image)"
	_, height, width := opt.Sizes(op, x)
	top, left, h, w := r.draw(height, width)
	if h == 0 || w == 0 {
		panic(torch.NewError(op, torch.ErrShape, "image",
			fmt.Sprintf("no part of an image of %d x %d pixels has an aspect ratio within Ratio", height, width)))
	}
	return imageops.ResizedCrop(x, top, left, h, w, []int64{r.h, r.w}, r.mode, Antialias(r.antialias))
}

func (r *RandomResizedCrop) draw(height, width int64) (top, left, h, w int64) {
	area := float64(height * width)
	for range 10 {
		part := area * uniform(r.scale[0], r.scale[1])
		ratio := aspect(r.logs)
		w, h = round(math.Sqrt(part*ratio)), round(math.Sqrt(part/ratio))
		if 0 < w && w <= width && 0 < h && h <= height {
			top = integer(0, height-h+1)
			return top, integer(0, width-w+1), h, w
		}
	}
	h, w = height, width
	switch whole := float64(width) / float64(height); {
	case whole < r.ratio[0]:
		h = round(float64(w) / r.ratio[0])
	case whole > r.ratio[1]:
		w = round(float64(h) * r.ratio[1])
	}
	return (height - h) / 2, (width - w) / 2, h, w
}

// String returns the settings as Python prints them.
func (r *RandomResizedCrop) String() string {
	if r == nil {
		return "RandomResizedCrop(nil)"
	}
	return repr("RandomResizedCrop", pySize(r.h, r.w), "scale=("+pyFloats(r.scale[:]...)+")",
		"ratio=("+pyFloats(r.ratio[:]...)+")",
		pyInterpolation(r.mode), "antialias="+pyBool(r.antialias))
}

// FiveCrop returns the four corners and the center of an image. Follows
// torchvision.transforms.FiveCrop.
type FiveCrop struct{ h, w int64 }

// NewFiveCrop returns a FiveCrop. It panics as [NewCenterCrop] does.
func NewFiveCrop(size any) *FiveCrop {
	h, w := opt.Pair("transforms.NewFiveCrop", "size", size)
	return &FiveCrop{h, w}
}

// Crops returns imageops.FiveCrop of x.
func (c *FiveCrop) Crops(x *torch.Tensor) []*torch.Tensor {
	there(c != nil, "FiveCrop", "Crops")
	return imageops.FiveCrop(x, []int64{c.h, c.w})
}

// Forward returns the five crops of x, stacked along a new first dimension. Python returns
// a tuple of five images, which programs usually stack in a Lambda.
func (c *FiveCrop) Forward(x *torch.Tensor) *torch.Tensor {
	there(c != nil, "FiveCrop", "Forward")
	return torch.Tidy(func() *torch.Tensor { return torch.Stack(c.Crops(x)) })
}

// String returns the settings as Python prints them.
func (c *FiveCrop) String() string {
	if c == nil {
		return "FiveCrop(nil)"
	}
	return repr("FiveCrop", pySize(c.h, c.w))
}

// TenCrop returns the crops of [FiveCrop], and the same crops of the flipped image. Follows
// torchvision.transforms.TenCrop.
type TenCrop struct {
	h, w     int64
	vertical bool
}

// NewTenCrop returns a TenCrop. With [VerticalFlip] it flips images upside down. It panics
// as [NewCenterCrop] does.
func NewTenCrop(size any, opts ...TenCropOption) *TenCrop {
	const op = "transforms.NewTenCrop"
	c := &TenCrop{vertical: bool(common.Read(op, opts, VerticalFlip(false)))}
	c.h, c.w = opt.Pair(op, "size", size)
	return c
}

// Crops returns imageops.TenCrop of x.
func (c *TenCrop) Crops(x *torch.Tensor) []*torch.Tensor {
	there(c != nil, "TenCrop", "Crops")
	return imageops.TenCrop(x, []int64{c.h, c.w}, VerticalFlip(c.vertical))
}

// Forward returns the ten crops of x, stacked along a new first dimension, like
// [FiveCrop.Forward].
func (c *TenCrop) Forward(x *torch.Tensor) *torch.Tensor {
	there(c != nil, "TenCrop", "Forward")
	return torch.Tidy(func() *torch.Tensor { return torch.Stack(c.Crops(x)) })
}

// String returns the settings as Python prints them.
func (c *TenCrop) String() string {
	if c == nil {
		return "TenCrop(nil)"
	}
	return repr("TenCrop", pySize(c.h, c.w), "vertical_flip="+pyBool(c.vertical))
}
