package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// reductionCode returns libtorch's number for r.
func reductionCode(op string, r Reduction) int64 {
	switch r {
	case ReductionMean:
		return 1
	case ReductionSum:
		return 2
	case ReductionNone:
		return 0
	case ReductionBatchMean:
		panic(torch.NewError(op, torch.ErrValue, "Reduction", "batchmean applies only to KLDiv"))
	}
	panic(torch.NewError(op, torch.ErrValue, "Reduction", "expected mean, sum or none, got "+strconv.Quote(string(r))))
}

// ignoreNone is PyTorch's default ignore_index, which is never a class.
const ignoreNone = -100

// A CrossEntropyOption is an option of [CrossEntropy]: [Weight], [IgnoreIndex],
// [Reduction] or [LabelSmoothing].
type CrossEntropyOption interface{ opt.CrossEntropyFunc }

// CrossEntropy returns the cross entropy between logits, of shape (C), (N, C) or (N, C,
// *), and targets. Targets are class indices, int64 of shape (), (N) or (N, *), or class
// probabilities in the shape of the logits. The result is a scalar, or with ReductionNone
// a tensor with the shape of the class indices.
//
// It panics with ErrIndex for a class outside [0, C) and with ErrDType for targets of any
// other dtype. It panics with ErrShape or ErrValue for sizes that do not match, and with
// ErrValue for options out of range. Follows torch.nn.functional.cross_entropy.
func CrossEntropy(input, target *torch.Tensor, opts ...CrossEntropyOption) *torch.Tensor {
	const op = "CrossEntropy(input, target, weight)"
	weight, ignore, red, smoothing := opt.Read4(op, opts, WeightOption{}, IgnoreIndex(ignoreNone), ReductionMean,
		LabelSmoothing(0))
	h, t, w := input.HandleFor(op, 0), target.HandleFor(op, 1), weight.Tensor().OptionalHandleFor(op, 2)
	if !(smoothing >= 0 && smoothing <= 1) { // false for NaN too
		panic(torch.NewError(op, torch.ErrValue, "LabelSmoothing",
			fmt.Sprintf("expected a number from 0 to 1, got %g", smoothing)))
	}
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, input, target, weight.Tensor())
	return r.Tensor(aten.CrossEntropyLoss(r.Ctx, h, t, w, code, int64(ignore), float64(smoothing)))
}

// An NLLLossOption is an option of [NLLLoss]: [Weight], [IgnoreIndex] or
// [Reduction].
type NLLLossOption interface{ opt.NLLLossFunc }

// NLLLoss returns the negative log likelihood of the class indices in target, of shape
// (), (N) or (N, *), given log probabilities of shape (C), (N, C) or (N, C, *). The
// result is a scalar, or with ReductionNone a tensor of target's shape. It panics as
// [CrossEntropy] does. Follows torch.nn.functional.nll_loss.
func NLLLoss(input, target *torch.Tensor, opts ...NLLLossOption) *torch.Tensor {
	const op = "NLLLoss(input, target, weight)"
	weight, ignore, red := opt.Read3(op, opts, WeightOption{}, IgnoreIndex(ignoreNone), ReductionMean)
	h, t, w := input.HandleFor(op, 0), target.HandleFor(op, 1), weight.Tensor().OptionalHandleFor(op, 2)
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, input, target, weight.Tensor())
	return r.Tensor(aten.NllLossNd(r.Ctx, h, t, w, code, int64(ignore)))
}

// A BCEOption is an option of [BinaryCrossEntropy]: [Weight] or [Reduction].
type BCEOption interface{ opt.BCEFunc }

// BinaryCrossEntropy returns the binary cross entropy of probabilities and targets of
// the same shape. The result is a scalar, or with ReductionNone a tensor of that
// shape. It panics with ErrValue for an input outside [0, 1] and with ErrShape if the
// shapes differ. Follows torch.nn.functional.binary_cross_entropy.
func BinaryCrossEntropy(input, target *torch.Tensor, opts ...BCEOption) *torch.Tensor {
	const op = "BinaryCrossEntropy(input, target, weight)"
	weight, red := opt.Read2(op, opts, WeightOption{}, ReductionMean)
	h, t, w := input.HandleFor(op, 0), target.HandleFor(op, 1), weight.Tensor().OptionalHandleFor(op, 2)
	mustHaveSameShape(op, input, target)
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, input, target, weight.Tensor())
	return r.Tensor(aten.BinaryCrossEntropy(r.Ctx, h, t, w, code))
}

// A BCEWithLogitsOption is an option of [BinaryCrossEntropyWithLogits]:
// [Weight], [PosWeight] or [Reduction].
type BCEWithLogitsOption interface{ opt.BCEWithLogitsFunc }

// BinaryCrossEntropyWithLogits is [BinaryCrossEntropy] of sigmoid(input), computed
// without losing precision. It panics with ErrShape if the shapes differ.
// Follows torch.nn.functional.binary_cross_entropy_with_logits.
func BinaryCrossEntropyWithLogits(input, target *torch.Tensor, opts ...BCEWithLogitsOption) *torch.Tensor {
	const op = "BinaryCrossEntropyWithLogits(input, target, weight, pos_weight)"
	weight, pos, red := opt.Read3(op, opts, WeightOption{}, PosWeightOption{}, ReductionMean)
	h, t := input.HandleFor(op, 0), target.HandleFor(op, 1)
	w, p := weight.Tensor().OptionalHandleFor(op, 2), pos.Tensor().OptionalHandleFor(op, 3)
	mustHaveSameShape(op, input, target)
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, input, target, weight.Tensor(), pos.Tensor())
	return r.Tensor(aten.BinaryCrossEntropyWithLogits(r.Ctx, h, t, w, p, code))
}

func mustHaveSameShape(op string, input, target *torch.Tensor) {
	if a, b := input.Shape(), target.Shape(); !a.Equal(b) {
		panic(torch.NewError(op, torch.ErrShape, "target", fmt.Sprintf("expected the input's size %[2]v, got %[1]v", b,
			a)))
	}
}
