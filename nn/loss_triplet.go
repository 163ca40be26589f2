package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// TripletMarginLoss is F.TripletMarginLoss as a module.
// Follows torch.nn.TripletMarginLoss.
type TripletMarginLoss struct {
	Base
	Margin    float64
	P         float64
	Eps       float64
	Swap      bool
	Reduction Reduction
}

// NewTripletMarginLoss makes a TripletMarginLoss. By default [Margin] is 1, [P] is 2
// and [Eps] is 1e-6. It panics with ErrValue for a margin that is not positive or a
// reduction that the loss does not have. Follows torch.nn.TripletMarginLoss.
func NewTripletMarginLoss(opts ...TripletMarginLossOption) *TripletMarginLoss {
	const op = "NewTripletMarginLoss"
	s := readLoss(op, lossOptions{margin: 1, p: 2, eps: 1e-6}, opts)
	opt.CheckMargin(op, s.margin)
	l := &TripletMarginLoss{Margin: s.margin, P: s.p, Eps: s.eps, Swap: s.swap, Reduction: s.reduction}
	s.finish(l, op, nil, nil)
	return l
}

// Forward returns the loss of three batches of vectors. It panics as
// F.TripletMarginLoss does.
func (l *TripletMarginLoss) Forward(anchor, positive, negative *torch.Tensor) *torch.Tensor {
	return callLayer3(l, anchor, positive, negative, func(x, y, z *torch.Tensor) *torch.Tensor {
		return F.TripletMarginLoss(x, y, z, F.Margin(l.Margin), F.P(l.P), F.Eps(l.Eps), F.Swap(l.Swap), l.Reduction)
	})
}

// TripletMarginWithDistanceLoss is F.TripletMarginWithDistanceLoss as a module.
// Follows torch.nn.TripletMarginWithDistanceLoss.
type TripletMarginWithDistanceLoss struct {
	Base
	DistanceFunction DistanceFunction // nil if the distance is a registered module
	Margin           float64
	Swap             bool
	Reduction        Reduction
}

// distanceName is PyTorch's name for the distance module.
const distanceName = "distance_function"

// NewTripletMarginWithDistanceLoss makes a TripletMarginWithDistanceLoss. [Margin] is
// 1 by default. Without a [DistanceFunction] it uses a PairwiseDistance, registered
// as "distance_function". If the DistanceFunction is a module's Forward, register the
// module yourself: l.Register("distance_function", m). It panics with ErrValue for a
// margin that is not positive or a reduction that the loss does not have.
// Follows torch.nn.TripletMarginWithDistanceLoss.
func NewTripletMarginWithDistanceLoss(opts ...TripletMarginWithDistanceLossOption) *TripletMarginWithDistanceLoss {
	const op = "NewTripletMarginWithDistanceLoss"
	s := readLoss(op, lossOptions{margin: 1}, opts)
	opt.CheckMargin(op, s.margin)
	l := &TripletMarginWithDistanceLoss{
		DistanceFunction: s.distance, Margin: s.margin, Swap: s.swap,
		Reduction: s.reduction,
	}
	s.finish(l, op, nil, nil)
	if s.distance == nil {
		NewPairwiseDistance(l.As(distanceName))
	}
	return l
}

// Forward returns the loss of three batches. It panics as
// F.TripletMarginWithDistanceLoss does.
func (l *TripletMarginWithDistanceLoss) Forward(anchor, positive, negative *torch.Tensor) *torch.Tensor {
	return callLayer3(l, anchor, positive, negative, func(x, y, z *torch.Tensor) *torch.Tensor {
		return F.TripletMarginWithDistanceLoss(x, y, z, l.distance(), F.Margin(l.Margin), F.Swap(l.Swap), l.Reduction)
	})
}

// distance returns l.DistanceFunction, or otherwise the Forward of the registered
// module. A deep copy has its own module, so distance finds it on each call.
func (l *TripletMarginWithDistanceLoss) distance() DistanceFunction {
	if l.DistanceFunction != nil {
		return l.DistanceFunction
	}
	for _, c := range l.children {
		if d, ok := c.Module.(*PairwiseDistance); ok && c.Name == distanceName {
			return d.Forward
		}
	}
	return nil
}
