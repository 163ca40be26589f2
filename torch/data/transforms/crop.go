package transforms

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
	"github.com/gotorch/gotorch/torch/data/transforms/internal/opt"
)

// Pad adds pixels around images. Follows torchvision.transforms.Pad.
type Pad struct {
	padding []int64
	fill    []float64
	mode    PaddingMode
}

// NewPad returns a Pad. padding is an int for all sides, []int{left and right, top and
// bottom} or []int{left, top, right, bottom}. The defaults are PaddingModeConstant and
// [Fill] 0. It panics with ErrType or ErrValue for an invalid padding, and with ErrValue
// for an unknown [PaddingMode] and for several [Fills] with a mode other than
// PaddingModeConstant.
func NewPad(padding any, opts ...PadOption) *Pad {
	const op = "transforms.NewPad"
	p := &Pad{fill: []float64{0}, mode: PaddingModeConstant}
	for _, o := range opts {
		switch o := o.(type) {
		case Fill:
			p.fill = []float64{float64(o)}
		case Fills:
			p.fill = append([]float64(nil), o...)
		case PaddingMode:
			p.mode = PaddingMode(string(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	p.padding = opt.Ints(op, "padding", padding, 1, 2, 4)
	checkPadding(op, p.fill, p.mode)
	return p
}

func checkPadding(op string, fill []float64, mode PaddingMode) {
	mode.Check(op)
	if len(fill) > 1 && mode != PaddingModeConstant {
		panic(torch.NewError(op, torch.ErrValue, "Fills",
			"several numbers need PaddingModeConstant, got mode "+string(mode)))
	}
}

// Forward returns imageops.Pad of x.
func (p *Pad) Forward(x *torch.Tensor) *torch.Tensor {
	there(p != nil, "Pad", "Forward")
	return imageops.Pad(x, p.padding, Fills(p.fill), p.mode)
}

// String returns the settings as Python prints them.
func (p *Pad) String() string {
	if p == nil {
		return "Pad(nil)"
	}
	padding := "padding=" + pyInts(p.padding...)
	if len(p.padding) > 1 {
		padding = "padding=[" + pyInts(p.padding...) + "]"
	}
	return repr("Pad", padding, pyFill(p.fill), "padding_mode="+string(p.mode))
}

// RandomCrop crops images at a random position. Follows
// torchvision.transforms.v2.RandomCrop.
type RandomCrop struct {
	h, w     int64
	padding  []int64 // pixels added at the left, right, top and bottom; nil for none
	ifNeeded bool
	fill     []float64
	mode     PaddingMode
}

// NewRandomCrop returns a RandomCrop. size is []int{height, width}, or an int for both.
// Images are first padded by [Padding]. With [PadIfNeeded], images that are still smaller
// than size are then padded to at least size. The defaults are PaddingModeConstant and
// [Fill] 0. It panics with ErrType for any other type of size, and with ErrValue for a
// size that is not positive and for [Paddings] of a length other than 1, 2 or 4. It
// panics with ErrValue for an unknown [PaddingMode] and for several [Fills] with a mode
// other than PaddingModeConstant.
func NewRandomCrop(size any, opts ...RandomCropOption) *RandomCrop {
	const op = "transforms.NewRandomCrop"
	c := &RandomCrop{fill: []float64{0}, mode: PaddingModeConstant}
	var padding []int64
	for _, o := range opts {
		switch o := o.(type) {
		case Padding:
			padding = []int64{int64(o)}
		case Paddings:
			padding = append([]int64(nil), o...)
		case PadIfNeeded:
			c.ifNeeded = bool(o)
		case Fill:
			c.fill = []float64{float64(o)}
		case Fills:
			c.fill = append([]float64(nil), o...)
		case PaddingMode:
			c.mode = PaddingMode(string(o))
		default:
			panic(torch.BadOption(op, o))
		}
	}
	c.h, c.w = opt.Pair(op, "size", size)
	checkPadding(op, c.fill, c.mode)
	// in Python, a padding of 0 means no padding
	if len(padding) > 1 || len(padding) == 1 && padding[0] != 0 {
		left, right, top, bottom := opt.Sides(op, "Paddings", padding)
		c.padding = []int64{left, right, top, bottom}
	}
	return c
}

// Forward returns a random crop of x: a view of x, unless x is padded. It panics with
// ErrValue if the crop is larger than the padded image.
func (c *RandomCrop) Forward(x *torch.Tensor) *torch.Tensor {
	there(c != nil, "RandomCrop", "Forward")
	const op = "transforms.RandomCrop(image)"
	_, height, width := opt.Sizes(op, x)
	var left, right, top, bottom int64
	if c.padding != nil {
		left, right, top, bottom = c.padding[0], c.padding[1], c.padding[2], c.padding[3]
		height, width = height+top+bottom, width+left+right
	}
	if c.ifNeeded {
		if diff := c.h - height; diff > 0 {
			top, bottom, height = top+diff, bottom+diff, height+2*diff
		}
		if diff := c.w - width; diff > 0 {
			left, right, width = left+diff, right+diff, width+2*diff
		}
	}
	if height < c.h || width < c.w {
		padded := ""
		if c.padding != nil {
			padded = "padded "
		}
		panic(torch.NewError(op, torch.ErrValue, "image",
			fmt.Sprintf("a crop of %d x %d is larger than the %simage of %d x %d", c.h, c.w, padded, height, width)))
	}
	var y, z int64
	if height > c.h {
		y = integer(0, height-c.h+1)
	}
	if width > c.w {
		z = integer(0, width-c.w+1)
	}
	if left == 0 && right == 0 && top == 0 && bottom == 0 {
		return imageops.Crop(x, y, z, c.h, c.w)
	}
	return torch.Tidy(func() *torch.Tensor {
		return imageops.Crop(imageops.Pad(x, []int64{left, top, right, bottom}, Fills(c.fill), c.mode), y, z, c.h, c.w)
	})
}

// String returns the settings as Python prints them.
func (c *RandomCrop) String() string {
	if c == nil {
		return "RandomCrop(nil)"
	}
	padding := ""
	if c.padding != nil {
		padding = "padding=[" + pyInts(c.padding...) + "]"
	}
	return repr("RandomCrop", pySize(c.h, c.w), padding, "pad_if_needed="+pyBool(c.ifNeeded), pyFill(c.fill),
		"padding_mode="+string(c.mode))
}
