package ops

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// BoxConvert converts boxes of shape (..., 4), or for rotated boxes (..., 5) or (..., 8), from one
// format to another, and returns a new tensor. Upright boxes cannot be converted to rotated ones,
// and the reverse. Rotated boxes of integers are rounded. It panics with ErrValue for formats that
// cannot be converted, and with ErrShape if the shape does not match the format. Follows
// torchvision.ops.box_convert.
func BoxConvert(boxes *torch.Tensor, inFmt, outFmt Fmt) *torch.Tensor {
	const op = "ops.BoxConvert(boxes)"
	n, m := inFmt.numbers(), outFmt.numbers()
	if n == 0 || m == 0 || (n == 4) != (m == 4) {
		panic(torch.NewError(op, torch.ErrValue, "inFmt",
			fmt.Sprintf("cannot convert from %q to %q", string(inFmt), string(outFmt))))
	}
	needBoxes(op, 0, "boxes", boxes, n, 1)
	if inFmt == outFmt {
		return boxes.Clone()
	}
	return torch.Tidy(func() *torch.Tensor {
		switch inFmt {
		case FmtXYWH, FmtCXCYWH, FmtXYXY:
			return convertUpright(boxes, inFmt, outFmt)
		case FmtCXCYWHR:
			boxes = rounded(boxes, fromCenterRotated(boxes))
		case FmtXYXYXYXY:
			boxes = rounded(boxes, fromCorners(boxes))
		}
		switch outFmt {
		case FmtCXCYWHR:
			boxes = rounded(boxes, toCenterRotated(boxes))
		case FmtXYXYXYXY:
			boxes = rounded(boxes, toCorners(boxes))
		}
		return boxes
	})
}

func convertUpright(boxes *torch.Tensor, from, to Fmt) *torch.Tensor {
	p := boxes.Unbind(-1)
	a, b, c, d := p[0], p[1], p[2], p[3]
	switch from {
	case FmtXYWH:
		c, d = a.Add(c), b.Add(d)
	case FmtCXCYWH:
		w, h := c.MulScalar(0.5), d.MulScalar(0.5)
		a, b, c, d = a.Sub(w), b.Sub(h), a.Add(w), b.Add(h)
	}
	switch to {
	case FmtXYWH:
		c, d = c.Sub(a), d.Sub(b)
	case FmtCXCYWH:
		a, b, c, d = a.Add(c).DivScalar(2), b.Add(d).DivScalar(2), c.Sub(a), d.Sub(b)
	}
	return stacked(a, b, c, d)
}

// stacked joins numbers of boxes.
func stacked(numbers ...*torch.Tensor) *torch.Tensor {
	if d := numbers[len(numbers)-1].DType(); d != numbers[0].DType() { // as torch.stack promotes
		for i, t := range numbers {
			if !t.DType().IsFloatingPoint() {
				numbers[i] = t.To(floatOf(numbers))
			}
		}
	}
	return torch.Stack(numbers, -1)
}

func floatOf(numbers []*torch.Tensor) torch.DType {
	for _, t := range numbers {
		if t.DType().IsFloatingPoint() {
			return t.DType()
		}
	}
	return torch.Float32
}

// rounded converts the result for boxes of integers back to their dtype.
func rounded(boxes, result *torch.Tensor) *torch.Tensor {
	if boxes.DType().IsFloatingPoint() {
		return result.To(boxes.DType())
	}
	return result.Round().To(boxes.DType())
}

// turn returns the cosine and sine of angles in degrees.
func turn(r *torch.Tensor) (cos, sin *torch.Tensor) {
	r = r.MulScalar(math.Pi).DivScalar(180.0)
	return r.Cos(), r.Sin()
}

func fromCenterRotated(boxes *torch.Tensor) *torch.Tensor {
	p := boxes.Unbind(-1)
	cos, sin := turn(p[4])
	w, h := p[2].DivScalar(2), p[3].DivScalar(2)
	x := p[0].Sub(w.Mul(cos)).Sub(h.Mul(sin))
	y := p[1].Sub(h.Mul(cos)).Add(w.Mul(sin))
	return stacked(x, y, p[2], p[3], p[4])
}

func toCenterRotated(boxes *torch.Tensor) *torch.Tensor {
	p := boxes.Unbind(-1)
	cos, sin := turn(p[4])
	w, h := p[2].DivScalar(2), p[3].DivScalar(2)
	cx := p[0].Add(w.Mul(cos)).Add(h.Mul(sin))
	cy := p[1].Sub(w.Mul(sin)).Add(h.Mul(cos))
	return stacked(cx, cy, p[2], p[3], p[4])
}

func toCorners(boxes *torch.Tensor) *torch.Tensor {
	p := boxes.Unbind(-1)
	x, y, w, h := p[0], p[1], p[2], p[3]
	cos, sin := turn(p[4])
	x2, y2 := x.Add(w.Mul(cos)), y.Sub(w.Mul(sin))
	x3, y3 := x2.Add(h.Mul(sin)), y2.Add(h.Mul(cos))
	return stacked(x, y, x2, y2, x3, y3, x.Add(h.Mul(sin)), y.Add(h.Mul(cos)))
}

func fromCorners(boxes *torch.Tensor) *torch.Tensor {
	p := boxes.Unbind(-1)
	up, right := p[1].Sub(p[3]), p[2].Sub(p[0])
	r := up.Atan2(right).MulScalar(180).DivScalar(math.Pi)
	w := right.PowScalar(2).Add(up.PowScalar(2)).Sqrt()
	h := p[4].Sub(p[2]).PowScalar(2).Add(p[5].Sub(p[3]).PowScalar(2)).Sqrt()
	return stacked(p[0], p[1], w, h, r)
}
