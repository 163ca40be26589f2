package functional

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// Reduction is what a loss does with its elements. The zero value is
// PyTorch's default.
type Reduction int8

// The reductions.
const (
	Mean        Reduction = iota // a scalar: the mean
	Sum                          // a scalar: the sum
	NoReduction                  // all elements, reduction="none"
	BatchMean                    // KLDiv alone: the sum over the batch size
)

// code is libtorch's number.
func (r Reduction) code(op string) int64 {
	switch r {
	case Mean:
		return 1
	case Sum:
		return 2
	case NoReduction:
		return 0
	}
	panic(torch.NewError(op, torch.ErrValue, "Reduction", fmt.Sprintf("%v does not apply to this loss", r)))
}

// String returns PyTorch's name.
func (r Reduction) String() string {
	names := [...]string{"mean", "sum", "none", "batchmean"}
	if r >= 0 && int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("reduction(%d)", int8(r))
}

// ignoreNone is PyTorch's default ignore_index, which no class has.
const ignoreNone = -100

// CrossEntropyOptions are the rarer arguments of [CrossEntropy].
type CrossEntropyOptions struct {
	Weight         *torch.Tensor // (C): a factor for each class; nil: 1
	IgnoreIndex    *int64        // targets of this class do not count; nil: -100
	Reduction      Reduction
	LabelSmoothing float64 // from 0 to 1: this much of the target is spread over all classes
}

// CrossEntropy returns the cross entropy between logits, of shape (C), (N, C)
// or (N, C, *), and targets: class numbers, int64 of shape (), (N) or (N, *),
// or class probabilities in the shape of the logits. It panics with ErrIndex for
// a class outside [0, C), with ErrDType for targets of another type and with
// ErrShape for sizes that do not fit. Follows torch.nn.functional.cross_entropy.
func CrossEntropy(logits, target *torch.Tensor, opts ...CrossEntropyOptions) *torch.Tensor {
	const op = "CrossEntropy(input, target, weight)"
	o := option(op, opts)
	h, t, w := logits.HandleFor(op, 0), target.HandleFor(op, 1), o.Weight.OptionalHandleFor(op, 2)
	ignore := int64(ignoreNone)
	if o.IgnoreIndex != nil {
		ignore = *o.IgnoreIndex
	}
	red := o.Reduction.code(op)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.CrossEntropyLoss(r.Ctx, h, t, w, red, ignore, o.LabelSmoothing), logits, target, o.Weight)
}

// NLLLossOptions are the rarer arguments of [NLLLoss].
type NLLLossOptions struct {
	Weight      *torch.Tensor // (C): a factor for each class; nil: 1
	IgnoreIndex *int64        // targets of this class do not count; nil: -100
	Reduction   Reduction
}

// NLLLoss returns the negative log likelihood of class numbers target, of
// shape (), (N) or (N, *), given log probabilities of shape (C), (N, C) or (N,
// C, *). Panics are those of CrossEntropy. Follows
// torch.nn.functional.nll_loss.
func NLLLoss(logProbs, target *torch.Tensor, opts ...NLLLossOptions) *torch.Tensor {
	const op = "NLLLoss(input, target, weight)"
	o := option(op, opts)
	h, t, w := logProbs.HandleFor(op, 0), target.HandleFor(op, 1), o.Weight.OptionalHandleFor(op, 2)
	ignore := int64(ignoreNone)
	if o.IgnoreIndex != nil {
		ignore = *o.IgnoreIndex
	}
	red := o.Reduction.code(op)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.NllLossNd(r.Ctx, h, t, w, red, ignore), logProbs, target, o.Weight)
}

type elementwiseFunc = func(_ abi.Ctx, _, _ abi.Tensor, reduction int64) abi.Ret

// difference is elementwise with PyTorch's warning if the two do broadcast: for
// predictions (N, 1) and targets (N) the loss is one of N * N pairs.
func difference(op string, f elementwiseFunc, input, target *torch.Tensor, red Reduction) *torch.Tensor {
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	if a, b := input.Shape(), target.Shape(); !a.Equal(b) {
		name, _, _ := strings.Cut(op, "(")
		cgotorch.Warn(fmt.Sprintf("%s: Using a target size %v that is different to the input size %v. "+
			"This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.", name, b, a))
	}
	return elementwise(op, f, input, target, red)
}

// elementwise calls a loss of two tensors that broadcast.
func elementwise(op string, f elementwiseFunc, input, target *torch.Tensor, red Reduction) *torch.Tensor {
	h, t := input.HandleFor(op, 0), target.HandleFor(op, 1)
	code := red.code(op)
	r := torch.BeginRaw(op)
	return r.Tensor(f(r.Ctx, h, t, code), input, target)
}

// MSELoss returns the squared difference, the mean of it unless a reduction is
// given. Sizes that differ broadcast, with a warning, as in PyTorch (see
// [torch.SetWarnings]); so it is for L1Loss, SmoothL1Loss and HuberLoss. Follows
// torch.nn.functional.mse_loss.
func MSELoss(input, target *torch.Tensor, reduction ...Reduction) *torch.Tensor {
	const op = "MSELoss(input, target)"
	return difference(op, aten.MseLoss, input, target, option(op, reduction))
}

// L1Loss returns the absolute difference, the mean of it unless a reduction is
// given. Follows torch.nn.functional.l1_loss.
func L1Loss(input, target *torch.Tensor, reduction ...Reduction) *torch.Tensor {
	const op = "L1Loss(input, target)"
	return difference(op, aten.L1Loss, input, target, option(op, reduction))
}

// SmoothL1Options are the rarer arguments of [SmoothL1Loss].
type SmoothL1Options struct {
	Beta      *float64 // where the parabola meets the line, 0: no parabola; nil: 1
	Reduction Reduction
}

// SmoothL1Loss returns half the squared difference over beta where the
// difference is below beta, and the difference less beta/2 elsewhere. Follows
// torch.nn.functional.smooth_l1_loss.
func SmoothL1Loss(input, target *torch.Tensor, opts ...SmoothL1Options) *torch.Tensor {
	const op = "SmoothL1Loss(input, target)"
	o := option(op, opts)
	return difference(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.SmoothL1Loss(cx, x, y, red, orDefault(o.Beta, 1))
	}, input, target, o.Reduction)
}

// HuberOptions are the rarer arguments of [HuberLoss].
type HuberOptions struct {
	Delta     float64 // where the parabola meets the line; 0, which PyTorch refuses: 1
	Reduction Reduction
}

// HuberLoss returns half the squared difference where the difference is below
// delta, and delta times (the difference less delta/2) elsewhere. Follows
// torch.nn.functional.huber_loss.
func HuberLoss(input, target *torch.Tensor, opts ...HuberOptions) *torch.Tensor {
	const op = "HuberLoss(input, target)"
	o := option(op, opts)
	delta := o.Delta
	if delta == 0 {
		delta = 1
	}
	return difference(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.HuberLoss(cx, x, y, red, delta)
	}, input, target, o.Reduction)
}

// BCEOptions are the rarer arguments of [BCELoss].
type BCEOptions struct {
	Weight    *torch.Tensor // a factor for each element, broadcast; nil: 1
	Reduction Reduction
}

// BCELoss returns the binary cross entropy of probabilities and targets of
// the same shape. It panics with ErrValue for an input outside [0, 1].
// Follows torch.nn.functional.binary_cross_entropy.
func BCELoss(input, target *torch.Tensor, opts ...BCEOptions) *torch.Tensor {
	const op = "BCELoss(input, target, weight)"
	o := option(op, opts)
	h, t, w := input.HandleFor(op, 0), target.HandleFor(op, 1), o.Weight.OptionalHandleFor(op, 2)
	checkSameShape(op, input, target)
	red := o.Reduction.code(op)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.BinaryCrossEntropy(r.Ctx, h, t, w, red), input, target, o.Weight)
}

// BCEWithLogitsOptions are the rarer arguments of [BCEWithLogits].
type BCEWithLogitsOptions struct {
	Weight    *torch.Tensor // a factor for each element, broadcast; nil: 1
	PosWeight *torch.Tensor // a factor for positive targets, broadcast; nil: 1
	Reduction Reduction
}

// BCEWithLogits is BCELoss of sigmoid(input), computed without losing
// precision. Follows torch.nn.functional.binary_cross_entropy_with_logits.
func BCEWithLogits(input, target *torch.Tensor, opts ...BCEWithLogitsOptions) *torch.Tensor {
	const op = "BCEWithLogits(input, target, weight, pos_weight)"
	o := option(op, opts)
	h, t := input.HandleFor(op, 0), target.HandleFor(op, 1)
	w, p := o.Weight.OptionalHandleFor(op, 2), o.PosWeight.OptionalHandleFor(op, 3)
	checkSameShape(op, input, target)
	red := o.Reduction.code(op)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.BinaryCrossEntropyWithLogits(r.Ctx, h, t, w, p, red), input, target, o.Weight, o.PosWeight)
}

func checkSameShape(op string, input, target *torch.Tensor) {
	if a, b := input.Shape(), target.Shape(); !a.Equal(b) {
		panic(torch.NewError(op, torch.ErrShape, "target", fmt.Sprintf("size %v must be that of the input, %v", b, a)))
	}
}

// KLDivOptions are the rarer arguments of [KLDiv].
type KLDivOptions struct {
	Reduction Reduction // BatchMean is the divergence as mathematics defines it
	LogTarget bool      // the target holds logarithms too
}

// KLDiv returns the Kullback-Leibler divergence of the distribution whose
// logarithm is input from target. Follows torch.nn.functional.kl_div.
func KLDiv(input, target *torch.Tensor, opts ...KLDivOptions) *torch.Tensor {
	const op = "KLDiv(input, target)"
	o := option(op, opts)
	red := o.Reduction
	if red == BatchMean {
		red = Sum
	}
	out := elementwise(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.KlDiv(cx, x, y, red, o.LogTarget)
	}, input, target, red)
	if o.Reduction != BatchMean || input.Dim() == 0 {
		return out
	}
	defer func() { _ = out.Close() }()
	n := float64(input.Size(0))
	return unary("KLDiv(sum)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.DivScalar(cx, h, float(n)) }, out)
}
