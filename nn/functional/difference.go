package functional

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Losses of two tensors that broadcast.

type elementwiseFunc = func(_ abi.Ctx, _, _ abi.Tensor, reduction int64) abi.Ret

// differenceLoss calls elementwise, and warns as PyTorch does if the shapes differ: for
// predictions (N, 1) and targets (N), the loss is over N * N pairs.
func differenceLoss(op string, f elementwiseFunc, input, target *torch.Tensor, red Reduction) *torch.Tensor {
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	if a, b := input.Shape(), target.Shape(); !a.Equal(b) {
		name, _, _ := strings.Cut(op, "(")
		cgotorch.Warn(fmt.Sprintf("%s: Using a target size %v that is different to the input size %v. "+
			"This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
			name, b, a))
		if (len(a) == 0) != (len(b) == 0) && input.DType() != target.DType() {
			// A scalar tensor usually does not change the dtype of the result. PyTorch
			// broadcasts both tensors first, after which the dtype of the scalar
			// counts.
			return torch.Tidy(func() *torch.Tensor {
				both := torch.BroadcastTensors(input, target)
				return elementwise(op, f, both[0], both[1], red)
			})
		}
	}
	return elementwise(op, f, input, target, red)
}

// elementwise calls f, a loss operator of libtorch, on two tensors that broadcast.
func elementwise(op string, f elementwiseFunc, input, target *torch.Tensor, red Reduction) *torch.Tensor {
	h, t := input.HandleFor(op, 0), target.HandleFor(op, 1)
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, input, target)
	return r.Tensor(f(r.Ctx, h, t, code))
}

// A LossOption is a [Reduction] or a [Weight] of the input's shape.
type LossOption interface{ opt.LossFunc }

// elementwiseLoss reads the options of differenceLoss and calls it.
func elementwiseLoss(op string, f elementwiseFunc, input, target *torch.Tensor, opts []LossOption) *torch.Tensor {
	red, weight := opt.Read2(op, opts, ReductionMean, WeightOption{})
	if weight.Tensor() != nil {
		return weightedLoss(op, f, input, target, weight.Tensor(), red, true)
	}
	return differenceLoss(op, f, input, target, red)
}

// MSELoss returns the mean of the squared difference as a scalar, or applies another
// [Reduction]; with ReductionNone the result has the shape of the difference. With a
// [Weight], the sum is divided by the sum of the weights. Different sizes broadcast
// with a warning, as in PyTorch (see [torch.SetWarnings]). The same holds for L1Loss,
// SmoothL1Loss and HuberLoss. It panics with ErrShape for sizes that do not broadcast
// and for a weight whose shape differs from the input's, and with ErrValue for an
// unknown reduction. Follows torch.nn.functional.mse_loss.
func MSELoss(input, target *torch.Tensor, opts ...LossOption) *torch.Tensor {
	const op = "MSELoss(input, target, weight)"
	return elementwiseLoss(op, aten.MseLoss, input, target, opts)
}

// L1Loss is [MSELoss] with the absolute difference instead of the squared one. It
// panics as MSELoss does. Follows torch.nn.functional.l1_loss.
func L1Loss(input, target *torch.Tensor, opts ...LossOption) *torch.Tensor {
	const op = "L1Loss(input, target, weight)"
	return elementwiseLoss(op, aten.L1Loss, input, target, opts)
}

// A SmoothL1LossOption is [Beta] or a [Reduction].
type SmoothL1LossOption interface{ opt.SmoothL1LossFunc }

// SmoothL1Loss returns half the squared difference divided by [Beta] where the
// absolute difference is below Beta, and the absolute difference minus Beta/2
// elsewhere. Beta is 1 by default; with 0 the loss is linear everywhere. See
// [MSELoss] for the result and panics. It also panics with ErrValue for a negative
// Beta. Follows torch.nn.functional.smooth_l1_loss.
func SmoothL1Loss(input, target *torch.Tensor, opts ...SmoothL1LossOption) *torch.Tensor {
	const op = "SmoothL1Loss(input, target)"
	beta, red := opt.Read2(op, opts, Beta(1), ReductionMean)
	return differenceLoss(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.SmoothL1Loss(cx, x, y, red, float64(beta))
	}, input, target, red)
}

// A HuberLossOption is [Delta], a [Reduction] or a [Weight] of the input's shape.
type HuberLossOption interface{ opt.HuberLossFunc }

// HuberLoss returns half the squared difference where the absolute difference is below
// [Delta], and Delta times (the absolute difference minus Delta/2) elsewhere. With a
// [Weight], the mean divides by the number of elements, not by the sum of the weights.
// See [MSELoss] for the result and other panics. It also panics with ErrValue unless
// Delta is positive. Follows torch.nn.functional.huber_loss.
func HuberLoss(input, target *torch.Tensor, opts ...HuberLossOption) *torch.Tensor {
	const op = "HuberLoss(input, target, weight)"
	delta, red, weight := opt.Read3(op, opts, Delta(1), ReductionMean, WeightOption{})
	if !(delta > 0) {
		panic(torch.NewError(op, torch.ErrValue, "Delta", fmt.Sprintf("expected a positive number, got %v", delta)))
	}
	huber := func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.HuberLoss(cx, x, y, red, float64(delta))
	}
	if weight.Tensor() != nil {
		return weightedLoss(op, huber, input, target, weight.Tensor(), red, false)
	}
	return differenceLoss(op, huber, input, target, red)
}

// A KLDivOption is a [Reduction], including ReductionBatchMean, or [LogTarget].
type KLDivOption interface{ opt.KLDivFunc }

// KLDiv returns the Kullback-Leibler divergence between target and the distribution
// whose logarithm is input. ReductionBatchMean gives the mathematical definition.
// ReductionMean, the default, also divides by the number of classes, with a warning,
// as in PyTorch. The result is a scalar, or with ReductionNone a tensor with the
// broadcast shape. It panics with ErrShape for sizes that do not broadcast and with
// ErrValue for an unknown reduction. Follows torch.nn.functional.kl_div.
func KLDiv(input, target *torch.Tensor, opts ...KLDivOption) *torch.Tensor {
	const op = "KLDiv(input, target)"
	red, logTarget := opt.Read2(op, opts, ReductionMean, LogTarget(false))
	batchMean := red == ReductionBatchMean
	switch red {
	case ReductionBatchMean:
		red = ReductionSum
	case ReductionMean:
		cgotorch.Warn("KLDiv: ReductionMean divides the total loss by both the batch size and the support size. " +
			"ReductionBatchMean divides only by the batch size, and aligns with the KL div math definition.")
	}
	out := elementwise(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.KlDiv(cx, x, y, red, bool(logTarget))
	}, input, target, red)
	if !batchMean || input.Dim() == 0 {
		return out
	}
	defer func() { _ = out.Close() }()
	n := float64(input.Size(0))
	return unary("KLDiv(sum)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.DivScalar(cx, h, float(n)) }, out)
}
