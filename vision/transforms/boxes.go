package transforms

import "github.com/gotorch/gotorch/torch"

// part returns a view of n columns of boxes or points, which writes change.
func part(t *torch.Tensor, start, n int64) *torch.Tensor { return t.Narrow(-1, start, n) }

// converted returns boxes in a different format: a new tensor, or b itself if it has the format. It
// computes in the same order as torchvision, so that numbers are rounded in the same way.
func converted(b *torch.Tensor, from, to BoundingBoxFormat) *torch.Tensor {
	if from == to {
		return b
	}
	switch from {
	case BoundingBoxFormatXYWH:
		b = b.Clone()
		part(b, 2, 2).Add_(part(b, 0, 2))
	case BoundingBoxFormatCXCYWH:
		d := b.DType()
		if d.IsFloatingPoint() {
			b = b.Clone()
		} else {
			b = b.Float()
		}
		half := part(b, 2, 2).DivScalar(2)
		part(b, 0, 2).Sub_(half)
		part(b, 2, 2).Add_(part(b, 0, 2))
		b = b.To(d)
	}
	switch to {
	case BoundingBoxFormatXYWH:
		b = b.Clone()
		part(b, 2, 2).Sub_(part(b, 0, 2))
	case BoundingBoxFormatCXCYWH:
		b = b.Clone()
		part(b, 2, 2).Sub_(part(b, 0, 2))
		twice := part(b, 0, 2).MulScalar_(2).Add_(part(b, 2, 2))
		if b.IsFloatingPoint() {
			twice.DivScalar_(2)
		} else {
			twice.FloorDivideScalar_(2)
		}
	}
	return b
}

// convert returns the boxes in the given format.
func (b BoundingBoxes) convert(to BoundingBoxFormat) BoundingBoxes {
	b.Tensor, b.Format = converted(b.Tensor, b.format(), to), to
	return b
}

// clamp limits boxes to their canvas. mode is how; the zero value is the mode of the boxes.
func (b BoundingBoxes) clamp(mode ClampingMode) BoundingBoxes {
	if mode == "" || mode == ClampingModeAuto {
		mode = b.ClampingMode
	}
	if mode == ClampingModeNone {
		return b
	}
	d := b.Tensor.DType()
	t := b.Tensor
	if !d.IsFloatingPoint() {
		t = t.Float()
	}
	if t = converted(t, b.format(), BoundingBoxFormatXYXY); t == b.Tensor {
		t = t.Clone()
	}
	for i := range int64(4) {
		part(t, i, 1).Clamp_(0, b.CanvasSize[1-i%2])
	}
	b.Tensor = converted(t, BoundingBoxFormatXYXY, b.format()).To(d)
	return b
}

// shift returns the boxes on a canvas of h x w pixels that begins at (top, left) of the old one. Boxes are
// limited to the new canvas.
func (b BoundingBoxes) shift(top, left, h, w int64) BoundingBoxes {
	by := []int64{left, top, left, top}
	if b.format() != BoundingBoxFormatXYXY {
		by[2], by[3] = 0, 0
	}
	b.Tensor = b.Tensor.Sub(torch.FromSliceWith(by, nil, b.Tensor.DType(), b.Tensor.Device()))
	b.CanvasSize = [2]int64{h, w}
	return b.clamp(ClampingModeAuto)
}

// shift returns the points on a canvas of h x w pixels that begins at (top, left) of the old one.
func (k KeyPoints) shift(top, left, h, w int64) KeyPoints {
	by := torch.FromSliceWith([]int64{left, top}, nil, k.Tensor.DType(), k.Tensor.Device())
	return KeyPoints{k.Tensor.Sub(by), [2]int64{h, w}}
}

// scaled returns numbers on a canvas of h x w pixels instead of the given size. The numbers belong to x
// and y in turn.
func scaled(t *torch.Tensor, size [2]int64, h, w int64) *torch.Tensor {
	ratios := make([]float64, t.Size(-1))
	for i := range ratios {
		ratios[i] = float64(w) / float64(size[1])
		if i%2 == 1 {
			ratios[i] = float64(h) / float64(size[0])
		}
	}
	return t.Mul(torch.FromSliceWith(ratios, nil, torch.DefaultDType(), t.Device())).To(t.DType())
}
