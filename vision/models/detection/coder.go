package detection

import (
	"math"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/ops"
)

// boxCoder describes boxes by their differences from anchors. The weights scale the differences.
type boxCoder struct{ wx, wy, ww, wh float64 }

// encode describes boxes, row by row.
func (c boxCoder) encode(boxes, anchors *torch.Tensor) *torch.Tensor {
	measure := func(t *torch.Tensor) (x, y, w, h *torch.Tensor) {
		p := t.Unbind(1)
		w, h = p[2].Sub(p[0]), p[3].Sub(p[1])
		return p[0].Add(w.MulScalar(0.5)), p[1].Add(h.MulScalar(0.5)), w, h
	}
	ax, ay, aw, ah := measure(anchors)
	bx, by, bw, bh := measure(boxes)
	return torch.Stack([]*torch.Tensor{
		bx.Sub(ax).MulScalar(c.wx).Div(aw), by.Sub(ay).MulScalar(c.wy).Div(ah),
		bw.Div(aw).Log().MulScalar(c.ww), bh.Div(ah).Log().MulScalar(c.wh),
	}, 1)
}

// decode returns boxes: for each anchor one for each four columns of codes, of shape (N, 4 * K). The
// result has the shape of codes.
func (c boxCoder) decode(codes, anchors *torch.Tensor) *torch.Tensor {
	anchors = anchors.To(codes.DType())
	p := anchors.Unbind(1)
	w, h := p[2].Sub(p[0]), p[3].Sub(p[1])
	x, y := p[0].Add(w.MulScalar(0.5)), p[1].Add(h.MulScalar(0.5))
	w, h, x, y = w.Unsqueeze(1), h.Unsqueeze(1), x.Unsqueeze(1), y.Unsqueeze(1)
	code := func(i int64, weight float64) *torch.Tensor {
		return codes.Index(torch.All, torch.SliceStep(i, torch.End, 4)).DivScalar(weight)
	}
	most := math.Log(1000.0 / 16)
	cx, cy := code(0, c.wx).Mul(w).Add(x), code(1, c.wy).Mul(h).Add(y)
	halfW := code(2, c.ww).Clamp(nil, most).Exp().Mul(w).MulScalar(0.5)
	halfH := code(3, c.wh).Clamp(nil, most).Exp().Mul(h).MulScalar(0.5)
	return torch.Stack([]*torch.Tensor{cx.Sub(halfW), cy.Sub(halfH), cx.Add(halfW), cy.Add(halfH)}, 2).Flatten(1)
}

// linear describes boxes by the distances of their edges from the centers of anchors, relative to the
// sizes of the anchors.
type linear struct{}

// parts returns the centers of anchors, and their sizes as (..., 4).
func (linear) parts(anchors *torch.Tensor) (x, y, size *torch.Tensor) {
	p := anchors.Unbind(-1)
	w, h := p[2].Sub(p[0]), p[3].Sub(p[1])
	return p[0].Add(p[2]).MulScalar(0.5), p[1].Add(p[3]).MulScalar(0.5), torch.Stack([]*torch.Tensor{w, h, w, h}, -1)
}

func (l linear) encode(anchors, boxes *torch.Tensor) *torch.Tensor {
	x, y, size := l.parts(anchors)
	b := boxes.Unbind(-1)
	return torch.Stack([]*torch.Tensor{x.Sub(b[0]), y.Sub(b[1]), b[2].Sub(x), b[3].Sub(y)}, -1).Div(size)
}

func (l linear) decode(codes, anchors *torch.Tensor) *torch.Tensor {
	x, y, size := l.parts(anchors.To(codes.DType()))
	c := codes.Mul(size).Unbind(-1)
	return torch.Stack([]*torch.Tensor{x.Sub(c[0]), y.Sub(c[1]), x.Add(c[2]), y.Add(c[3])}, -1)
}

// Values of a match besides the indices of boxes.
const (
	below   = -1 // overlaps too little
	between = -2 // overlaps neither enough nor too little
)

// matcher finds for each anchor the box of the target that it stands for.
type matcher struct {
	high, low  float64
	lowQuality bool // whether the best anchors of each box match even if they overlap little
}

// match returns the index of a box for each anchor, or below or between.
func (m matcher) match(boxes, anchors *torch.Tensor) *torch.Tensor {
	if boxes.Numel() == 0 {
		return torch.Full(torch.Shape{anchors.Size(0)}, below, torch.Int64, anchors.Device())
	}
	quality := ops.BoxIoU(boxes, anchors)
	values, matches := quality.MaxDim(0)
	all := matches
	low := values.LtScalar(m.low)
	middle := values.GeScalar(m.low).LogicalAnd(values.LtScalar(m.high))
	matches = matches.MaskedFill(low, below).MaskedFill(middle, between)
	if m.lowQuality {
		best, _ := quality.MaxDim(1)
		update := quality.Eq(best.Unsqueeze(1)).Any(torch.Dim(0))
		matches = torch.Where(update, all, matches)
	}
	return matches
}

// sample draws the anchors of an image that a loss uses. labels is at least 1 for objects, 0 for the
// background and less for anchors that are left out. It returns the indices of both, in order.
func sample(labels *torch.Tensor, count int64, positiveFraction float64) (objects, background *torch.Tensor) {
	draw := func(all *torch.Tensor, n int64) *torch.Tensor {
		perm := torch.RandPerm(all.Numel(), all.Device()).Narrow(0, 0, n)
		chosen, _ := all.IndexSelect(0, perm).Sort()
		return chosen
	}
	positive, negative := where(labels.GeScalar(1)), where(labels.EqScalar(0))
	n := min(int64(float64(count)*positiveFraction), positive.Numel())
	m := min(count-n, negative.Numel())
	objects = draw(positive, n)
	return objects, draw(negative, m)
}

// topScores returns the best scores above a threshold, at most k, and their indices.
func topScores(scores *torch.Tensor, threshold float64, k int64) (best, index *torch.Tensor) {
	index = where(scores.GtScalar(threshold))
	scores = rows(scores, index)
	best, order := scores.TopK(min(k, scores.Numel()))
	return best, rows(index, order)
}

// bestOf joins the detections of several feature maps or classes, drops those that overlap better ones of
// the same class, and returns at most n.
func bestOf(boxes, scores, labels []*torch.Tensor, nmsThresh float64, n int64) Detection {
	b, s, l := torch.Cat(boxes), torch.Cat(scores), torch.Cat(labels)
	keep := ops.BatchedNMS(b, s, l, nmsThresh)
	keep = keep.Narrow(0, 0, min(n, keep.Numel()))
	return Detection{Boxes: rows(b, keep), Scores: rows(s, keep), Labels: rows(l, keep)}
}

// flatten turns the output of a convolution, of shape (N, A * columns, H, W), to (N, H * W * A, columns).
func flatten(x *torch.Tensor, columns int64) *torch.Tensor {
	n, h, w := x.Size(0), x.Size(2), x.Size(3)
	return x.View(n, -1, columns, h, w).Permute(0, 3, 4, 1, 2).Reshape(n, -1, columns)
}

// add returns the sum of losses.
func add(losses []*torch.Tensor) *torch.Tensor {
	sum := losses[0]
	for _, l := range losses[1:] {
		sum = sum.Add(l)
	}
	return sum
}

func smoothL1(x, y *torch.Tensor, beta float64) *torch.Tensor {
	return F.SmoothL1Loss(x, y, F.Beta(beta), F.ReductionSum)
}
