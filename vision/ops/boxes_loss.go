package ops

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

type (
	// A BoxLossOption is an option of the losses of boxes: [Reduction] or [Eps].
	//
	//gotorch:options Reduction Eps
	BoxLossOption interface{ boxLossOption() }
	// A SigmoidFocalLossOption is [Alpha], [Gamma] or [Reduction].
	//
	//gotorch:options Alpha Gamma Reduction
	SigmoidFocalLossOption interface{ sigmoidFocalLossOption() }
)

type (
	// Reduction says how a loss combines its elements. The default is ReductionNone.
	Reduction string
	// Eps is a small number that keeps a divisor away from 0. Each function states its default.
	Eps float64
	// Alpha is the weight of the positive examples of SigmoidFocalLoss, from 0 to 1; that of the
	// negative ones is 1 - Alpha. -1 turns the weights off. The default is 0.25.
	Alpha float64
	// Gamma is the exponent with which SigmoidFocalLoss reduces the loss of examples that are
	// classified well. The default is 2.
	Gamma float64
)

// The values of [Reduction].
const (
	ReductionNone Reduction = "none" // the loss of each box or element
	ReductionMean Reduction = "mean" // the mean
	ReductionSum  Reduction = "sum"  // the sum
)

func (r Reduction) check(op string) {
	if r != ReductionNone && r != ReductionMean && r != ReductionSum {
		panic(torch.NewError(op, torch.ErrValue, "Reduction",
			fmt.Sprintf("expected none, mean or sum, got %q", string(r))))
	}
}

// apply reduces a loss. The mean of no elements is 0 if empty is set, and NaN otherwise.
func (r Reduction) apply(loss *torch.Tensor, empty bool) *torch.Tensor {
	switch {
	case r == ReductionSum:
		return loss.Sum()
	case r == ReductionMean && empty && loss.Numel() == 0:
		return loss.Sum().MulScalar(0.0)
	case r == ReductionMean:
		return loss.Mean()
	}
	return loss
}

// boxLoss reads the options of a loss of pairs of boxes, checks the boxes, and reduces what fn
// returns for them.
func boxLoss(op string, boxes1, boxes2 *torch.Tensor, opts []BoxLossOption,
	fn func(p pairs, eps float64) *torch.Tensor,
) *torch.Tensor {
	reduction, eps := ReductionNone, 1e-7
	for _, o := range opts {
		switch o := o.(type) {
		case Reduction:
			reduction = o
		case Eps:
			eps = float64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	reduction.check(op)
	needPair(op, boxes1, boxes2, 1)
	if !boxes1.Shape().Equal(boxes2.Shape()) {
		panic(torch.NewError(op, torch.ErrShape, "boxes2",
			fmt.Sprintf("expected the shape of boxes1, %v, got %v", boxes1.Shape(), boxes2.Shape())))
	}
	return torch.Tidy(func() *torch.Tensor {
		return reduction.apply(fn(pairs{split(boxes1), split(boxes2)}, eps), true)
	})
}

// edges are the edges of boxes.
type edges struct{ x1, y1, x2, y2 *torch.Tensor }

func split(boxes *torch.Tensor) edges {
	if d := boxes.DType(); d != torch.Float32 && d != torch.Float64 {
		boxes = boxes.To(torch.Float32)
	}
	p := boxes.Unbind(-1)
	return edges{p[0], p[1], p[2], p[3]}
}

func (e edges) width() *torch.Tensor  { return e.x2.Sub(e.x1) }
func (e edges) height() *torch.Tensor { return e.y2.Sub(e.y1) }

// pairs are pairs of boxes: predictions and targets.
type pairs struct{ a, b edges }

// interUnion returns the areas of the intersections and of the unions.
func (p pairs) interUnion() (inter, union *torch.Tensor) {
	x1, y1 := p.a.x1.Maximum(p.b.x1), p.a.y1.Maximum(p.b.y1)
	x2, y2 := p.a.x2.Minimum(p.b.x2), p.a.y2.Minimum(p.b.y2)
	overlap := y2.Gt(y1).LogicalAnd(x2.Gt(x1))
	// The gradients of boxes that do not overlap are 0, even where the product is not finite.
	w, h := torch.Where(overlap, x2.Sub(x1), 0), torch.Where(overlap, y2.Sub(y1), 0)
	inter = w.Mul(h)
	return inter, p.a.width().Mul(p.a.height()).Add(p.b.width().Mul(p.b.height())).Sub(inter)
}

// enclosing returns the widths and heights of the smallest enclosing boxes.
func (p pairs) enclosing() (w, h *torch.Tensor) {
	return p.a.x2.Maximum(p.b.x2).Sub(p.a.x1.Minimum(p.b.x1)), p.a.y2.Maximum(p.b.y2).Sub(p.a.y1.Minimum(p.b.y1))
}

// GeneralizedBoxIoULoss returns 1 minus the generalized intersection over union of each box in
// boxes1 with the corresponding box in boxes2. Both have shape (N, 4) or (4) and FmtXYXY. The result
// has shape (N) or (), or with [Reduction] (). [Eps] is 1e-7 by default. It panics with ErrShape for
// other shapes. Follows torchvision.ops.generalized_box_iou_loss.
func GeneralizedBoxIoULoss(boxes1, boxes2 *torch.Tensor, opts ...BoxLossOption) *torch.Tensor {
	const op = "ops.GeneralizedBoxIoULoss(boxes1, boxes2)"
	return boxLoss(op, boxes1, boxes2, opts, func(p pairs, eps float64) *torch.Tensor {
		inter, union := p.interUnion()
		iou := inter.Div(union.AddScalar(eps))
		w, h := p.enclosing()
		area := w.Mul(h)
		return iou.Sub(area.Sub(union).Div(area.AddScalar(eps))).RSubScalar(1)
	})
}

// DistanceBoxIoULoss is [GeneralizedBoxIoULoss], but penalizes the distance of the centers. Follows
// torchvision.ops.distance_box_iou_loss.
func DistanceBoxIoULoss(boxes1, boxes2 *torch.Tensor, opts ...BoxLossOption) *torch.Tensor {
	const op = "ops.DistanceBoxIoULoss(boxes1, boxes2)"
	return boxLoss(op, boxes1, boxes2, opts, func(p pairs, eps float64) *torch.Tensor {
		loss, _ := p.distanceLoss(eps)
		return loss
	})
}

func (p pairs) distanceLoss(eps float64) (loss, iou *torch.Tensor) {
	inter, union := p.interUnion()
	iou = inter.Div(union.AddScalar(eps))
	w, h := p.enclosing()
	diagonal := w.PowScalar(2).Add(h.PowScalar(2)).AddScalar(eps)
	middle := func(low, high *torch.Tensor) *torch.Tensor { return high.Add(low).DivScalar(2) }
	dx := middle(p.a.x1, p.a.x2).Sub(middle(p.b.x1, p.b.x2))
	dy := middle(p.a.y1, p.a.y2).Sub(middle(p.b.y1, p.b.y2))
	return iou.RSubScalar(1).Add(dx.PowScalar(2).Add(dy.PowScalar(2)).Div(diagonal)), iou
}

// CompleteBoxIoULoss is [DistanceBoxIoULoss], but also penalizes different aspect ratios. Follows
// torchvision.ops.complete_box_iou_loss.
func CompleteBoxIoULoss(boxes1, boxes2 *torch.Tensor, opts ...BoxLossOption) *torch.Tensor {
	const op = "ops.CompleteBoxIoULoss(boxes1, boxes2)"
	return boxLoss(op, boxes1, boxes2, opts, func(p pairs, eps float64) *torch.Tensor {
		loss, iou := p.distanceLoss(1e-7) // Python does not pass eps here
		angle := func(e edges) *torch.Tensor { return e.width().Div(e.height()).Atan() }
		return loss.Add(aspect(angle(p.b).Sub(angle(p.a)), iou, eps))
	})
}

// SigmoidFocalLoss is the binary cross-entropy of logits, with less weight for elements that are
// classified well. inputs contains logits, and targets, of the same shape, is 1 for the positive
// class and 0 otherwise. The result has the shape of inputs, or with [Reduction] (). It panics with
// ErrValue for an [Alpha] outside 0 to 1 other than -1, and with ErrShape or ErrDType as
// F.BinaryCrossEntropyWithLogits does. Follows torchvision.ops.sigmoid_focal_loss.
func SigmoidFocalLoss(inputs, targets *torch.Tensor, opts ...SigmoidFocalLossOption) *torch.Tensor {
	const op = "ops.SigmoidFocalLoss(inputs, targets)"
	alpha, gamma, reduction := 0.25, 2.0, ReductionNone
	for _, o := range opts {
		switch o := o.(type) {
		case Alpha:
			alpha = float64(o)
		case Gamma:
			gamma = float64(o)
		case Reduction:
			reduction = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if !(alpha >= 0 && alpha <= 1) && alpha != -1 {
		panic(torch.NewError(op, torch.ErrValue, "Alpha",
			fmt.Sprintf("expected a number from 0 to 1, or -1, got %v", alpha)))
	}
	reduction.check(op)
	inputs.HandleFor(op, 0)
	targets.HandleFor(op, 1)
	return torch.Tidy(func() *torch.Tensor {
		p := inputs.Sigmoid()
		entropy := F.BinaryCrossEntropyWithLogits(inputs, targets, F.ReductionNone)
		others := targets.RSubScalar(1)
		right := p.Mul(targets).Add(p.RSubScalar(1).Mul(others))
		loss := entropy.Mul(right.RSubScalar(1).PowScalar(gamma))
		if alpha >= 0 {
			loss = targets.MulScalar(alpha).Add(others.MulScalar(1 - alpha)).Mul(loss)
		}
		return reduction.apply(loss, false)
	})
}
