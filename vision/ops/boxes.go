package ops

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// Fmt is the format of boxes, fmt in Python. Boxes are rows of a tensor.
type Fmt string

// The formats of boxes. The angle r is in degrees, counterclockwise.
const (
	FmtXYXY     Fmt = "xyxy"     // the left, top, right and bottom edge
	FmtXYWH     Fmt = "xywh"     // the left and top edge, width and height
	FmtCXCYWH   Fmt = "cxcywh"   // the center, width and height
	FmtXYWHR    Fmt = "xywhr"    // a rotated box: the left top corner, width, height and angle
	FmtCXCYWHR  Fmt = "cxcywhr"  // a rotated box: the center, width, height and angle
	FmtXYXYXYXY Fmt = "xyxyxyxy" // a rotated box: its four corners, clockwise from the left top
)

// numbers returns how many numbers describe a box, or 0 for an unknown format.
func (f Fmt) numbers() int64 {
	switch f {
	case FmtXYXY, FmtXYWH, FmtCXCYWH:
		return 4
	case FmtXYWHR, FmtCXCYWHR:
		return 5
	case FmtXYXYXYXY:
		return 8
	}
	return 0
}

// mustBeUpright panics unless the boxes of the format are not rotated.
func (f Fmt) mustBeUpright(op string) {
	if f.numbers() != 4 {
		panic(torch.NewError(op, torch.ErrValue, "Fmt",
			fmt.Sprintf("expected xyxy, xywh or cxcywh, got %q", string(f))))
	}
}

// needBoxes panics unless t, the argument number arg of op, has rows of n numbers. It must have at
// least dims dimensions.
func needBoxes(op string, arg int, name string, t *torch.Tensor, n, dims int64) {
	t.HandleFor(op, arg)
	if d := t.Dim(); d < dims || t.Size(-1) != n {
		panic(torch.NewError(op, torch.ErrShape, name,
			fmt.Sprintf("expected boxes of %d numbers and at least %d dimensions, got shape %v", n, dims, t.Shape())))
	}
	if t.DType().IsComplex() || t.DType() == torch.Bool {
		panic(torch.NewError(op, torch.ErrDType, name, fmt.Sprintf("expected real numbers, got %v", t.DType())))
	}
}

// needPair is needBoxes for two arguments, boxes1 and boxes2.
func needPair(op string, boxes1, boxes2 *torch.Tensor, dims int64) {
	needBoxes(op, 0, "boxes1", boxes1, 4, dims)
	needBoxes(op, 1, "boxes2", boxes2, 4, dims)
}

// BoxArea returns the areas of boxes of shape (..., 4), as a tensor of shape (...). The [Fmt] is
// FmtXYXY by default, FmtXYWH or FmtCXCYWH. It panics with ErrShape for other shapes and with
// ErrValue for other formats. Follows torchvision.ops.box_area.
func BoxArea(boxes *torch.Tensor, format ...Fmt) *torch.Tensor {
	const op = "ops.BoxArea(boxes)"
	f := readFmt(op, format)
	needBoxes(op, 0, "boxes", boxes, 4, 1)
	return torch.Tidy(func() *torch.Tensor { return areas(boxes, f) })
}

func readFmt(op string, format []Fmt) Fmt {
	f := FmtXYXY
	if n := len(format); n > 0 {
		f = format[n-1]
	}
	f.mustBeUpright(op)
	return f
}

// upcast converts numbers to a type in which areas do not overflow soon.
func upcast(t *torch.Tensor) *torch.Tensor {
	switch d := t.DType(); {
	case d == torch.Float32 || d == torch.Float64 || d == torch.Int32 || d == torch.Int64:
		return t
	case d.IsFloatingPoint():
		return t.To(torch.Float32)
	}
	return t.To(torch.Int32)
}

func areas(boxes *torch.Tensor, f Fmt) *torch.Tensor {
	boxes = upcast(boxes)
	if f == FmtXYXY {
		return column(boxes, 2).Sub(column(boxes, 0)).Mul(column(boxes, 3).Sub(column(boxes, 1)))
	}
	return column(boxes, 2).Mul(column(boxes, 3))
}

// column returns number i of each row, as a view.
func column(t *torch.Tensor, i int64) *torch.Tensor { return t.Select(-1, i) }

// halves returns two numbers of each row, as views that broadcast over all pairs of boxes.
func halves(boxes1, boxes2 *torch.Tensor, start int64) (a, b *torch.Tensor) {
	return boxes1.Narrow(-1, start, 2).Unsqueeze(-2), boxes2.Narrow(-1, start, 2).Unsqueeze(-3)
}

// BoxIoU returns the intersection over union of each box in boxes1, of shape (..., N, 4), with each
// box in boxes2, of shape (..., M, 4), as a tensor of shape (..., N, M). The [Fmt] is FmtXYXY by
// default, FmtXYWH or FmtCXCYWH. It panics with ErrShape for other shapes and with ErrValue for
// other formats. Follows torchvision.ops.box_iou.
func BoxIoU(boxes1, boxes2 *torch.Tensor, format ...Fmt) *torch.Tensor {
	const op = "ops.BoxIoU(boxes1, boxes2)"
	f := readFmt(op, format)
	needPair(op, boxes1, boxes2, 2)
	return torch.Tidy(func() *torch.Tensor {
		inter, union := interUnion(boxes1, boxes2, f)
		return inter.Div(union)
	})
}

// interUnion returns the areas of the intersections and unions of all pairs.
func interUnion(boxes1, boxes2 *torch.Tensor, f Fmt) (inter, union *torch.Tensor) {
	area1, area2 := areas(boxes1, f), areas(boxes2, f)
	a1, b1 := halves(boxes1, boxes2, 0)
	a2, b2 := halves(boxes1, boxes2, 2)
	var lt, rb *torch.Tensor
	switch f {
	case FmtXYXY:
		lt, rb = a1.Maximum(b1), a2.Minimum(b2)
	case FmtXYWH:
		lt, rb = a1.Maximum(b1), a1.Add(a2).Minimum(b1.Add(b2))
	default:
		ha, hb := a2.DivScalar(2), b2.DivScalar(2)
		lt, rb = a1.Sub(ha).Maximum(b1.Sub(hb)), a1.Add(ha).Minimum(b1.Add(hb))
	}
	wh := upcast(rb.Sub(lt)).Clamp(0, nil)
	inter = column(wh, 0).Mul(column(wh, 1))
	return inter, area1.Unsqueeze(-1).Add(area2.Unsqueeze(-2)).Sub(inter)
}

// enclosing returns the widths and heights of the smallest boxes that enclose both boxes of each
// pair.
func enclosing(boxes1, boxes2 *torch.Tensor) *torch.Tensor {
	a1, b1 := halves(boxes1, boxes2, 0)
	a2, b2 := halves(boxes1, boxes2, 2)
	return upcast(a2.Maximum(b2).Sub(a1.Minimum(b1))).Clamp(0, nil)
}

// GeneralizedBoxIoU is [BoxIoU] minus the part of the smallest enclosing box that neither box
// covers, from -1 to 1. The boxes have FmtXYXY. It panics with ErrShape as BoxIoU does. Follows
// torchvision.ops.generalized_box_iou.
func GeneralizedBoxIoU(boxes1, boxes2 *torch.Tensor) *torch.Tensor {
	const op = "ops.GeneralizedBoxIoU(boxes1, boxes2)"
	needPair(op, boxes1, boxes2, 2)
	return torch.Tidy(func() *torch.Tensor {
		inter, union := interUnion(boxes1, boxes2, FmtXYXY)
		wh := enclosing(boxes1, boxes2)
		area := column(wh, 0).Mul(column(wh, 1))
		return inter.Div(union).Sub(area.Sub(union).Div(area))
	})
}

// DistanceBoxIoU is [BoxIoU] minus the squared distance of the centers, relative to the diagonal of
// the smallest enclosing box. The boxes have FmtXYXY. [Eps] is 1e-7 by default. It panics with
// ErrShape as BoxIoU does. Follows torchvision.ops.distance_box_iou.
func DistanceBoxIoU(boxes1, boxes2 *torch.Tensor, eps ...Eps) *torch.Tensor {
	const op = "ops.DistanceBoxIoU(boxes1, boxes2)"
	e := readEps(eps)
	needPair(op, boxes1, boxes2, 2)
	return torch.Tidy(func() *torch.Tensor {
		distance, _ := distanceIoU(upcast(boxes1), upcast(boxes2), e)
		return distance
	})
}

func readEps(eps []Eps) float64 {
	if n := len(eps); n > 0 {
		return float64(eps[n-1])
	}
	return 1e-7
}

func distanceIoU(boxes1, boxes2 *torch.Tensor, eps float64) (distance, iou *torch.Tensor) {
	inter, union := interUnion(boxes1, boxes2, FmtXYXY)
	iou = inter.Div(union)
	wh := enclosing(boxes1, boxes2)
	diagonal := column(wh, 0).PowScalar(2).Add(column(wh, 1).PowScalar(2)).AddScalar(eps)
	center := func(t *torch.Tensor, i int64) *torch.Tensor { return column(t, i).Add(column(t, i+2)).DivScalar(2) }
	apart := func(i int64) *torch.Tensor {
		d := center(boxes1, i).Unsqueeze(-1).Sub(center(boxes2, i).Unsqueeze(-2))
		return upcast(d).PowScalar(2)
	}
	return iou.Sub(apart(0).Add(apart(1)).Div(diagonal)), iou
}

// CompleteBoxIoU is [DistanceBoxIoU] minus a measure of how much the aspect ratios differ. The boxes
// have FmtXYXY. [Eps] is 1e-7 by default. It panics with ErrShape as BoxIoU does. Follows
// torchvision.ops.complete_box_iou.
func CompleteBoxIoU(boxes1, boxes2 *torch.Tensor, eps ...Eps) *torch.Tensor {
	const op = "ops.CompleteBoxIoU(boxes1, boxes2)"
	e := readEps(eps)
	needPair(op, boxes1, boxes2, 2)
	return torch.Tidy(func() *torch.Tensor {
		a, b := upcast(boxes1), upcast(boxes2)
		distance, iou := distanceIoU(a, b, e)
		side := func(t *torch.Tensor, i int64) *torch.Tensor { return column(t, i+2).Sub(column(t, i)) }
		angle1 := side(a, 0).Unsqueeze(-1).Div(side(a, 1).Unsqueeze(-1)).Atan()
		angle2 := side(b, 0).Unsqueeze(-2).Div(side(b, 1).Unsqueeze(-2)).Atan()
		return distance.Sub(aspect(angle1.Sub(angle2), iou, e))
	})
}

// aspect returns the weighted squared difference of the angles of the boxes' diagonals.
func aspect(difference, iou *torch.Tensor, eps float64) *torch.Tensor {
	v := difference.PowScalar(2).MulScalar(4 / (math.Pi * math.Pi))
	var alpha *torch.Tensor
	torch.NoGrad(func() { alpha = v.Div(iou.RSubScalar(1).Add(v).AddScalar(eps)) })
	return alpha.Mul(v)
}
