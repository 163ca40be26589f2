package transforms

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// RandomIoUCrop crops samples so that the crop contains the center of a box and overlaps with it. It
// sets boxes whose centers are outside of the crop to zeros: use [SanitizeBoundingBoxes] afterwards.
// Follows torchvision.transforms.v2.RandomIoUCrop.
type RandomIoUCrop struct {
	minScale, maxScale   float64
	minAspect, maxAspect float64
	options              []float64
	trials               int64
}

// NewRandomIoUCrop returns a RandomIoUCrop. It panics with ErrValue for scales outside 0 to 1, for
// negative aspect ratios, and for ranges whose first number is larger than the second. So it does for an
// empty list of [SamplerOptions] and for [Trials] that are not positive.
func NewRandomIoUCrop(opts ...RandomIoUCropOption) *RandomIoUCrop {
	const op = "transforms.NewRandomIoUCrop"
	r := &RandomIoUCrop{
		minScale: 0.3, maxScale: 1, minAspect: 0.5, maxAspect: 2, trials: 40,
		options: []float64{0, 0.1, 0.3, 0.5, 0.7, 0.9, 1},
	}
	for _, o := range opts {
		switch o := o.(type) {
		case MinScale:
			r.minScale = float64(o)
		case MaxScale:
			r.maxScale = float64(o)
		case MinAspectRatio:
			r.minAspect = float64(o)
		case MaxAspectRatio:
			r.maxAspect = float64(o)
		case SamplerOptions:
			if r.options = slices.Clone(o); len(o) == 0 {
				panic(torch.NewError(op, torch.ErrValue, "SamplerOptions", "an empty list"))
			}
		case Trials:
			if r.trials = int64(o); o < 1 {
				panic(torch.NewError(op, torch.ErrValue, "Trials",
					fmt.Sprintf("expected a positive number, got %d", o)))
			}
		default:
			panic(torch.BadOption(op, o))
		}
	}
	mustBeRange(op, "MaxScale", r.minScale, r.maxScale, 0)
	if r.maxScale > 1 {
		panic(torch.NewError(op, torch.ErrValue, "MaxScale", fmt.Sprintf("expected at most 1, got %v", r.maxScale)))
	}
	mustBeRange(op, "MaxAspectRatio", r.minAspect, r.maxAspect, 0)
	return r
}

// mostRounds is how many options Forward draws before it gives up. torchvision draws until one of them
// leads to a crop, which may never happen.
const mostRounds = 1000

// Forward returns a random crop of the sample, or views of it. It draws one of the [SamplerOptions]
// and tries random crops until a crop overlaps with a box by at least this number, and draws again
// after [Trials] attempts. It panics with ErrValue for a sample without an image or boxes.
func (r *RandomIoUCrop) Forward(s Sample) Sample {
	there(r != nil, "RandomIoUCrop")
	const op = "transforms.RandomIoUCrop(s)"
	return apply(op, s, func(s Sample) Sample {
		if s.Image == nil || s.Boxes.Tensor == nil {
			panic(torch.NewError(op, torch.ErrValue, "s", "expected an image and boxes"))
		}
		h, w := s.size(op)
		xyxy := converted(s.Boxes.Tensor, s.Boxes.format(), BoundingBoxFormatXYXY)
		for range mostRounds {
			least := r.options[integer(0, int64(len(r.options)))]
			if least >= 1 {
				break
			}
			for range r.trials {
				c := r.draw(h, w)
				if c.height == 0 || c.width == 0 {
					continue
				}
				inside := c.containing(xyxy, least)
				if inside == nil {
					continue
				}
				s = cropped(c.top, c.left, c.height, c.width).apply(s)
				outside := inside.LogicalNot().Unsqueeze(1)
				s.Boxes.Tensor = s.Boxes.Tensor.MaskedFill(outside, 0)
				return s
			}
		}
		return s
	})
}

// box is a crop.
type box struct{ top, left, height, width int64 }

// draw returns a random crop of an image of h x w pixels. It is empty if its aspect ratio is not
// allowed.
func (r *RandomIoUCrop) draw(h, w int64) (c box) {
	torch.Scope(func() {
		ratio := between(r.minScale, r.maxScale, 2)
		width, height := times(w, ratio, 0), times(h, ratio, 1)
		if height == 0 {
			return
		}
		if aspect := float64(width) / float64(height); !(r.minAspect <= aspect && aspect <= r.maxAspect) {
			return
		}
		at := torch.Rand(torch.Shape{2})
		c = box{left: times(w-width, at, 0), top: times(h-height, at, 1), height: height, width: width}
	})
	return c
}

// containing returns which boxes have their centers in the crop. It returns nil if there are none, or if
// the crop overlaps with none of them by at least the given intersection over union.
func (c box) containing(xyxy *torch.Tensor, least float64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		inside := within(xyxy, 0, c.left, c.left+c.width).LogicalAnd_(within(xyxy, 1, c.top, c.top+c.height))
		if !inside.Any().ItemBool() {
			return nil
		}
		crop := torch.FromSliceWith([]int64{c.left, c.top, c.left + c.width, c.top + c.height}, torch.Shape{1, 4},
			xyxy.DType(), xyxy.Device())
		if overlap(xyxy.Index(inside), crop).Max().LtScalar(least).ItemBool() {
			return nil
		}
		return inside
	})
}

// within returns which boxes have their centers between two coordinates, along an axis.
func within(xyxy *torch.Tensor, axis, from, to int64) *torch.Tensor {
	center := xyxy.Select(1, axis).Add(xyxy.Select(1, axis+2)).MulScalar(0.5)
	return center.GtScalar(from).LogicalAnd_(center.LtScalar(to))
}

// overlap returns the intersection over union of each box with a single box, as
// torchvision.ops.box_iou computes it.
func overlap(boxes, one *torch.Tensor) *torch.Tensor {
	area := func(b *torch.Tensor) *torch.Tensor {
		b = wide(b)
		return b.Select(1, 2).Sub(b.Select(1, 0)).Mul(b.Select(1, 3).Sub(b.Select(1, 1)))
	}
	size := wide(part(boxes, 2, 2).Minimum(part(one, 2, 2)).Sub(part(boxes, 0, 2).Maximum(part(one, 0, 2)))).ClampMin(0)
	common := size.Select(1, 0).Mul(size.Select(1, 1))
	return common.Div(area(boxes).Add(area(one)).Sub(common))
}

// wide converts t to a dtype in which products do not overflow.
func wide(t *torch.Tensor) *torch.Tensor {
	switch d := t.DType(); {
	case d == torch.Float32 || d == torch.Float64 || d == torch.Int32 || d == torch.Int64:
		return t
	case d.IsFloatingPoint():
		return t.Float()
	}
	return t.Int()
}

// String returns the settings as Python prints them.
func (r *RandomIoUCrop) String() string {
	if r == nil {
		return "RandomIoUCrop(nil)"
	}
	return repr("RandomIoUCrop", "min_scale="+pyFloats(r.minScale), "max_scale="+pyFloats(r.maxScale),
		"min_aspect_ratio="+pyFloats(r.minAspect), "max_aspect_ratio="+pyFloats(r.maxAspect),
		"options=["+pyFloats(r.options...)+"]", "trials="+pyInts(r.trials))
}
