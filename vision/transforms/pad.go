package transforms

import (
	"github.com/gotorch/gotorch/torch"
	images "github.com/gotorch/gotorch/torch/data/transforms"
)

// Pad adds pixels around samples. Follows torchvision.transforms.v2.Pad.
type Pad struct {
	sides   [4]int64
	fill    filling
	printed *images.Pad
}

// NewPad returns a Pad. padding is an int for all sides, []int{left and right, top and bottom} or
// []int{left, top, right, bottom}. The defaults are PaddingModeConstant and [Fill] 0. It panics with
// ErrType or ErrValue for an invalid padding, and with ErrValue for an unknown [PaddingMode] and
// for several [Fills] with a mode other than PaddingModeConstant.
func NewPad(padding any, opts ...PadOption) *Pad {
	const op = "transforms.NewPad"
	p := &Pad{fill: filling{image: []float64{0}, mode: PaddingModeConstant}}
	for _, o := range opts {
		if !p.fill.read(o) {
			panic(torch.BadOption(op, o))
		}
	}
	p.fill.check(op)
	p.printed = images.NewPad(padding, images.Fills(p.fill.image), images.PaddingMode(p.fill.mode))
	p.sides = sidesOf(ints(padding))
	return p
}

// Forward returns the padded sample. Boxes are limited to the new size. It panics with ErrValue for
// boxes or key points in a mode other than PaddingModeConstant, and for a mask with several Fills
// and no [MaskFill].
func (p *Pad) Forward(s Sample) Sample {
	there(p != nil, "Pad")
	const op = "transforms.Pad(s)"
	return apply(op, s, func(s Sample) Sample {
		return padded(op, p.sides[0], p.sides[1], p.sides[2], p.sides[3], p.fill).apply(s)
	})
}

// String returns the settings as Python prints them.
func (p *Pad) String() string {
	if p == nil {
		return "Pad(nil)"
	}
	return p.printed.String()
}

// RandomZoomOut puts samples at a random position of a larger image, or leaves them unchanged. Follows
// torchvision.transforms.v2.RandomZoomOut.
type RandomZoomOut struct {
	p     float64
	fill  filling
	sides SideRangeOption
}

// NewRandomZoomOut returns a RandomZoomOut, which zooms out with probability [P], 0.5 by default.
// The new size is drawn from the [SideRange]. It panics with ErrValue for an invalid P, and for a
// SideRange that is invalid or less than 1.
func NewRandomZoomOut(opts ...RandomZoomOutOption) *RandomZoomOut {
	const op = "transforms.NewRandomZoomOut"
	r := &RandomZoomOut{p: 0.5, fill: filling{image: []float64{0}, mode: PaddingModeConstant}, sides: SideRange(1, 4)}
	for _, o := range opts {
		switch o := o.(type) {
		case P:
			r.p = float64(o)
		case SideRangeOption:
			r.sides = o
		default:
			if !r.fill.read(o) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	checkP(op, r.p)
	mustBeRange(op, "SideRange", r.sides.Min, r.sides.Max, 1)
	return r
}

// Forward returns the larger sample, or views of s. It panics as [Pad.Forward] does.
func (r *RandomZoomOut) Forward(s Sample) Sample {
	there(r != nil, "RandomZoomOut")
	const op = "transforms.RandomZoomOut(s)"
	return apply(op, s, func(s Sample) Sample {
		if !happens(r.p) {
			return s
		}
		h, w := s.size(op)
		ratio := between(r.sides.Min, r.sides.Max, 1)
		width, height := times(w, ratio, 0), times(h, ratio, 0)
		at := torch.Rand(torch.Shape{2})
		left, top := times(width-w, at, 0), times(height-h, at, 1)
		return padded(op, left, top, width-w-left, height-h-top, r.fill).apply(s)
	})
}

// String returns the settings as Python prints them.
func (r *RandomZoomOut) String() string {
	if r == nil {
		return "RandomZoomOut(nil)"
	}
	return repr("RandomZoomOut", "p="+pyFloats(r.p), pyFill(r.fill.image),
		"side_range=("+pyFloats(r.sides.Min, r.sides.Max)+")")
}
