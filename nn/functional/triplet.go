package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// TripletMarginLoss returns max(0, d(anchor, positive) - d(anchor, negative) + margin)
// for vectors of shape (N, D) or (D). d is [PairwiseDistance] with [P], 2 by default, and
// [Eps], 1e-6 by default. [Margin] is 1 by default. With [Swap], the distance between
// positive and negative is used if it is smaller than the distance between anchor and
// negative. The result is the mean as a scalar, or another [Reduction]; with
// ReductionNone it has shape (N) or (). It panics with ErrValue for a margin that is not
// positive and with ErrShape for sizes that do not match. Follows
// torch.nn.functional.triplet_margin_loss.
func TripletMarginLoss(anchor, positive, negative *torch.Tensor, opts ...TripletMarginLossOption) *torch.Tensor {
	const op = "TripletMarginLoss(anchor, positive, negative)"
	margin, p, eps, swap, red := 1.0, 2.0, 1e-6, false, ReductionMean
	for _, o := range opts {
		switch o := o.(type) {
		case Margin:
			margin = float64(o)
		case P:
			p = float64(o)
		case Eps:
			eps = float64(o)
		case Swap:
			swap = bool(o)
		case Reduction:
			red = o
		default:
			panic(opt.Unknown(op, o))
		}
	}
	mustBeUsable(op, anchor, positive, negative)
	opt.CheckMargin(op, margin)
	mustHaveSameRank(op, "negative", anchor, positive, negative, 0)
	return tripleLoss(op, func(cx abi.Ctx, x, y, z abi.Tensor, red int64) abi.Ret {
		return aten.TripletMarginLoss(cx, x, y, z, margin, p, eps, swap, red)
	}, anchor, positive, negative, red)
}

// distanceOp names the results of the user's distance function in errors.
const distanceOp = "TripletMarginWithDistanceLoss(positive_distance, negative_distance, swapped_distance)"

// TripletMarginWithDistanceLoss is [TripletMarginLoss] with a custom
// [DistanceFunction], which is called twice, or three times with [Swap]. Tensors that
// the function makes are freed with the other temporaries. It panics with ErrShape
// unless the three tensors have the same number of dimensions, with ErrNil for a nil
// distance, and with ErrValue for a margin that is not positive. Panics of the distance
// function pass through.
// Follows torch.nn.functional.triplet_margin_with_distance_loss.
func TripletMarginWithDistanceLoss(anchor, positive, negative *torch.Tensor,
	opts ...TripletMarginWithDistanceLossOption,
) *torch.Tensor {
	const op = "TripletMarginWithDistanceLoss(anchor, positive, negative)"
	distance, margin, swap, red := opt.Read4(op, opts, DistanceFunction(nil), Margin(1), Swap(false), ReductionMean)
	mustBeUsable(op, anchor, positive, negative)
	code := reductionCode(op, red)
	opt.CheckMargin(op, float64(margin))
	mustHaveSameRank(op, "negative", anchor, positive, negative, 0)
	if distance == nil {
		distance = func(x, y *torch.Tensor) *torch.Tensor { return PairwiseDistance(x, y) }
	} else {
		// The wrapper frees the temporary tensors of each call.
		given := distance
		distance = func(x, y *torch.Tensor) *torch.Tensor {
			return torch.Tidy(func() *torch.Tensor { return given(x, y) })
		}
	}
	return torch.Tidy(func() *torch.Tensor {
		near, far := distance(anchor, positive), distance(anchor, negative)
		near.HandleFor(distanceOp, 0)
		far.HandleFor(distanceOp, 1)
		if swap {
			swapped := distance(positive, negative)
			swapped.HandleFor(distanceOp, 2)
			far = binary(op, aten.Minimum, far, swapped)
		}
		loss := unary(op,
			func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.AddScalar(cx, h, float(margin), integer(1)) }, near)
		loss = closeInputs(binary(op, subTensor, loss, far), loss)
		loss = unaryClosing(op, loss,
			func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ClampMin(cx, h, integer(0)) })
		return reduceLoss(op, loss, code)
	})
}
