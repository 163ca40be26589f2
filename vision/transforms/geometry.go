package transforms

import (
	"fmt"
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	images "github.com/gotorch/gotorch/torch/data/transforms"
	"github.com/gotorch/gotorch/torch/data/transforms/imageops"
)

// maxPixels is the largest number of pixels that an image may have, as in package imageops.
const maxPixels = 1 << 40

// geometry changes the parts of a sample.
type geometry struct {
	image  func(x *torch.Tensor) *torch.Tensor
	boxes  func(b BoundingBoxes) BoundingBoxes
	mask   func(m *torch.Tensor) *torch.Tensor // gets a mask (..., C, H, W) without bools
	points func(k KeyPoints) KeyPoints
}

func (g geometry) apply(s Sample) Sample {
	if s.Image != nil {
		s.Image = g.image(s.Image)
	}
	if s.Boxes.Tensor != nil {
		s.Boxes = g.boxes(s.Boxes)
	}
	if s.Mask.Tensor != nil {
		s.Mask.Tensor = maskBy(s.Mask.Tensor, g.mask)
	}
	if s.KeyPoints.Tensor != nil {
		s.KeyPoints = g.points(s.KeyPoints)
	}
	return s
}

// maskBy applies f to a mask of any shape and dtype.
func maskBy(m *torch.Tensor, f func(m *torch.Tensor) *torch.Tensor) *torch.Tensor {
	d, flat := m.DType(), m.Dim() == 2
	if flat {
		m = m.Unsqueeze(0)
	}
	if d == torch.Bool {
		m = m.Byte()
	}
	m = f(m)
	if d == torch.Bool {
		m = m.Bool()
	}
	if flat {
		m = m.Squeeze(0)
	}
	return m
}

// flipped is a flip from left to right.
var flipped = geometry{
	image: imageops.HFlip,
	mask:  imageops.HFlip,
	boxes: func(b BoundingBoxes) BoundingBoxes { return b.flip(0, b.CanvasSize[1]) },
	points: func(k KeyPoints) KeyPoints {
		return k.flip(0, k.CanvasSize[1])
	},
}

// upsideDown is a flip from top to bottom.
var upsideDown = geometry{
	image: imageops.VFlip,
	mask:  imageops.VFlip,
	boxes: func(b BoundingBoxes) BoundingBoxes { return b.flip(1, b.CanvasSize[0]) },
	points: func(k KeyPoints) KeyPoints {
		return k.flip(1, k.CanvasSize[0])
	},
}

// flip flips boxes along an axis, 0 for x and 1 for y, of the given size.
func (b BoundingBoxes) flip(axis, size int64) BoundingBoxes {
	t := b.Tensor.Clone()
	at := part(t, axis, 1)
	switch b.format() {
	case BoundingBoxFormatXYXY:
		at.Copy_(part(b.Tensor, axis+2, 1).SubScalar(size).Neg_())
		part(t, axis+2, 1).Copy_(part(b.Tensor, axis, 1).SubScalar(size).Neg_())
	case BoundingBoxFormatXYWH:
		at.Add_(part(t, axis+2, 1)).SubScalar_(size).Neg_()
	default:
		at.SubScalar_(size).Neg_()
	}
	b.Tensor = t
	return b
}

// flip flips points along an axis of the given size.
func (k KeyPoints) flip(axis, size int64) KeyPoints {
	t := k.Tensor.Clone()
	part(t, axis, 1).SubScalar_(size - 1).Neg_()
	k.Tensor = t
	return k
}

// cropped is a crop to the h x w pixels from (top, left).
func cropped(top, left, h, w int64) geometry {
	crop := func(x *torch.Tensor) *torch.Tensor { return imageops.Crop(x, top, left, h, w) }
	return geometry{
		image: crop, mask: crop,
		boxes:  func(b BoundingBoxes) BoundingBoxes { return b.shift(top, left, h, w) },
		points: func(k KeyPoints) KeyPoints { return k.shift(top, left, h, w) },
	}
}

// resized is a change of the size to the result of newSize, which gets the old size.
func resized(newSize func(h, w int64) (nh, nw int64), mode Interpolation, antialias bool) geometry {
	return geometry{
		image: func(x *torch.Tensor) *torch.Tensor {
			nh, nw := newSize(x.Size(-2), x.Size(-1))
			return imageops.Resize(x, []int64{nh, nw}, imageops.Interpolation(mode), imageops.Antialias(antialias))
		},
		mask: func(m *torch.Tensor) *torch.Tensor {
			nh, nw := newSize(m.Size(-2), m.Size(-1))
			return resizedMask(m, nh, nw)
		},
		boxes: func(b BoundingBoxes) BoundingBoxes {
			nh, nw := newSize(b.CanvasSize[0], b.CanvasSize[1])
			if size := [2]int64{nh, nw}; size != b.CanvasSize {
				b.Tensor, b.CanvasSize = scaled(b.Tensor, b.CanvasSize, nh, nw), size
			}
			return b
		},
		points: func(k KeyPoints) KeyPoints {
			nh, nw := newSize(k.CanvasSize[0], k.CanvasSize[1])
			if size := [2]int64{nh, nw}; size != k.CanvasSize {
				k.Tensor, k.CanvasSize = scaled(k.Tensor, k.CanvasSize, nh, nw), size
			}
			return k
		},
	}
}

// resizedMask resizes a mask (..., N, H, W) to h x w pixels. Each pixel gets the value of the
// nearest one.
func resizedMask(m *torch.Tensor, h, w int64) *torch.Tensor {
	shape := m.Shape()
	n := len(shape)
	if shape[n-2] == h && shape[n-1] == w {
		return m
	}
	out := append(append(torch.Shape{}, shape[:n-2]...), h, w)
	if m.Numel() == 0 {
		return m.NewZeros(out)
	}
	d := m.DType()
	m = m.Reshape(-1, shape[n-3], shape[n-2], shape[n-1])
	if d != torch.Float32 && d != torch.Float64 && d != torch.Uint8 {
		m = m.Float()
	}
	return F.Interpolate(m, F.Sizes{h, w}, F.ModeNearest).To(d).Reshape(out...)
}

// then is a geometry after another one.
func (g geometry) then(next geometry) geometry {
	return geometry{
		image:  func(x *torch.Tensor) *torch.Tensor { return next.image(g.image(x)) },
		mask:   func(m *torch.Tensor) *torch.Tensor { return next.mask(g.mask(m)) },
		boxes:  func(b BoundingBoxes) BoundingBoxes { return next.boxes(g.boxes(b)) },
		points: func(k KeyPoints) KeyPoints { return next.points(g.points(k)) },
	}
}

// filling says what new border pixels become.
type filling struct {
	image []float64
	mask  []float64 // nil for the same as image
	mode  PaddingMode
}

// padded adds pixels at the sides.
func padded(op string, left, top, right, bottom int64, f filling) geometry {
	sides := []int64{left, top, right, bottom}
	mustBeConstant := func(what string) {
		if f.mode != PaddingModeConstant {
			panic(torch.NewError(op, torch.ErrValue, "PaddingMode",
				fmt.Sprintf("%s can only be padded with PaddingModeConstant, got %s", what, f.mode)))
		}
	}
	return geometry{
		image: func(x *torch.Tensor) *torch.Tensor {
			return imageops.Pad(x, sides, imageops.Fills(f.image), imageops.PaddingMode(f.mode))
		},
		mask: func(m *torch.Tensor) *torch.Tensor {
			fill := f.mask
			if fill == nil {
				fill = f.image
			}
			if len(fill) > 1 {
				panic(torch.NewError(op, torch.ErrValue, "Fills",
					"a mask needs a single number: add the option MaskFill"))
			}
			return imageops.Pad(m, sides, imageops.Fills(fill), imageops.PaddingMode(f.mode))
		},
		boxes: func(b BoundingBoxes) BoundingBoxes {
			mustBeConstant("boxes")
			return b.shift(-top, -left, b.CanvasSize[0]+top+bottom, b.CanvasSize[1]+left+right)
		},
		points: func(k KeyPoints) KeyPoints {
			mustBeConstant("key points")
			return k.shift(-top, -left, k.CanvasSize[0]+top+bottom, k.CanvasSize[1]+left+right)
		},
	}
}

// ints reads a size or padding that a constructor of package torch/data/transforms has checked.
func ints(v any) (list []int64) {
	switch v := v.(type) {
	case int:
		list = []int64{int64(v)}
	case int64:
		list = []int64{v}
	case []int:
		for _, n := range v {
			list = append(list, int64(n))
		}
	case []int64:
		list = append(list, v...)
	case torch.Shape:
		list = append(list, v...)
	}
	return list
}

// pair reads a height and a width: two numbers, or one number for both.
func pair(op, arg string, v any) (h, w int64) {
	list := ints(v)
	if list == nil {
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of ints, got %T", v)))
	}
	if len(list) != 1 && len(list) != 2 {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a list of length 1 or 2, got length %d", len(list))))
	}
	mustBePositive(op, arg, list...)
	return list[0], list[len(list)-1]
}

func mustBePositive(op, arg string, list ...int64) {
	for _, n := range list {
		if n < 1 || n > maxPixels {
			panic(torch.NewError(op, torch.ErrValue, arg,
				fmt.Sprintf("expected positive numbers up to %d, got %v", int64(maxPixels), list)))
		}
	}
}

// mustBeRange panics with ErrValue unless lo <= hi, and both are finite and at least least.
func mustBeRange(op, arg string, lo, hi, least float64) {
	if !(least <= lo && lo <= hi) || math.IsInf(hi, 1) {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected (smallest, largest) of at least %v, got (%v, %v)", least, lo, hi)))
	}
}

// interpolation converts the option for package torch/data/transforms.
func (i Interpolation) image() images.Interpolation { return images.Interpolation(i) }
