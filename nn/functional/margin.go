package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Margin losses.

// readReduction reads the options of a loss whose only option is Reduction.
func readReduction(op string, opts []ReductionOption) Reduction {
	return opt.Read(op, opts, ReductionMean)
}

// SoftMarginLoss returns log(1 + exp(-target*input)), where target holds 1 and -1 and
// broadcasts with input. The result is the mean as a scalar, or another [Reduction];
// with ReductionNone it has the broadcast shape. It panics with ErrShape for sizes
// that do not broadcast. Follows torch.nn.functional.soft_margin_loss.
func SoftMarginLoss(input, target *torch.Tensor, opts ...ReductionOption) *torch.Tensor {
	const op = "SoftMarginLoss(input, target)"
	return elementwise(op, aten.SoftMarginLoss, input, target, readReduction(op, opts))
}

// MultilabelMarginLoss returns the sum of max(0, 1 - (score of a label - score of another
// class)) over all labels and other classes, divided by C. input holds scores of shape
// (N, C) or (C). Each row of target, int64 of input's shape, lists the labels and ends
// with -1 if there are fewer than C. The result is the mean as a scalar, or another
// [Reduction]; with ReductionNone it has shape (N) or (). It panics with ErrShape or
// ErrValue for sizes that do not match, with ErrDType for targets of any other dtype, and
// with ErrIndex or ErrValue for a label that is not a class. Follows
// torch.nn.functional.multilabel_margin_loss.
func MultilabelMarginLoss(input, target *torch.Tensor, opts ...ReductionOption) *torch.Tensor {
	const op = "MultilabelMarginLoss(input, target)"
	return elementwise(op, aten.MultilabelMarginLoss, input, target, readReduction(op, opts))
}

func marginLoss(op string, margin float64, opts []MarginLossOption) (float64, Reduction) {
	m, red := opt.Read2(op, opts, Margin(margin), ReductionMean)
	return float64(m), red
}

// HingeEmbeddingLoss returns input where target is 1 and max(0, margin - input) where
// target is -1. input and target broadcast. [Margin] is 1 by default. The result is the
// mean as a scalar, or another [Reduction]; with ReductionNone it has the broadcast
// shape. It panics with ErrShape for sizes that do not broadcast.
// Follows torch.nn.functional.hinge_embedding_loss.
func HingeEmbeddingLoss(input, target *torch.Tensor, opts ...MarginLossOption) *torch.Tensor {
	const op = "HingeEmbeddingLoss(input, target)"
	margin, red := marginLoss(op, 1, opts)
	return elementwise(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.HingeEmbeddingLoss(cx, x, y, margin, red)
	}, input, target, red)
}

// MarginRankingLoss returns max(0, margin - target*(input1 - input2)). target is 1 where
// input1 should rank higher and -1 where input2 should. All three have the same number of
// dimensions and broadcast. [Margin] is 0 by default. The result is the mean as a scalar,
// or another [Reduction]; with ReductionNone it has the broadcast shape. It panics with
// ErrShape for sizes that do not match. Follows torch.nn.functional.margin_ranking_loss.
func MarginRankingLoss(input1, input2, target *torch.Tensor, opts ...MarginLossOption) *torch.Tensor {
	const op = "MarginRankingLoss(input1, input2, target)"
	margin, red := marginLoss(op, 0, opts)
	mustBeUsable(op, input1, input2, target)
	mustHaveSameRank(op, "target", input1, input2, target, 0)
	return tripleLoss(op, func(cx abi.Ctx, x, y, z abi.Tensor, red int64) abi.Ret {
		return aten.MarginRankingLoss(cx, x, y, z, margin, red)
	}, input1, input2, target, red)
}

// CosineEmbeddingLoss returns 1 - cos(input1, input2) where target is 1 and max(0,
// cos(input1, input2) - margin) where target is -1. The inputs have shape (N, D) or (D)
// and target (N) or (). [Margin] is 0 by default. The result is the mean as a scalar, or
// another [Reduction]; with ReductionNone it has the shape of target. It panics with
// ErrShape for sizes that do not match. Follows
// torch.nn.functional.cosine_embedding_loss.
func CosineEmbeddingLoss(input1, input2, target *torch.Tensor, opts ...MarginLossOption) *torch.Tensor {
	const op = "CosineEmbeddingLoss(input1, input2, target)"
	margin, red := marginLoss(op, 0, opts)
	mustBeUsable(op, input1, input2, target)
	if d := target.Dim(); d > 1 {
		panic(torch.NewError(op, torch.ErrShape, "target",
			fmt.Sprintf("expected size (N) or (), got %v", target.Shape())))
	}
	mustHaveSameRank(op, "target", input1, input2, target, 1)
	return tripleLoss(op, func(cx abi.Ctx, x, y, z abi.Tensor, red int64) abi.Ret {
		return aten.CosineEmbeddingLoss(cx, x, y, z, margin, red)
	}, input1, input2, target, red)
}

// MultiMarginLoss returns the sum of max(0, margin - score of the class + score of
// another class)^p over the other classes, divided by C. input holds scores of shape (N,
// C) or (C), and target class indices of shape (N) or (). [P] is 1 or 2, by default 1;
// [Margin] is 1 by default. A [Weight] of shape (C) has a factor for each class. The
// result is the mean as a scalar, or another [Reduction]; with ReductionNone it has the
// shape of target. It panics with ErrValue for any other P and with ErrShape, ErrValue,
// ErrDType or ErrIndex for an invalid target or weight. Follows
// torch.nn.functional.multi_margin_loss.
func MultiMarginLoss(input, target *torch.Tensor, opts ...MultiMarginLossOption) *torch.Tensor {
	const op = "MultiMarginLoss(input, target, weight)"
	p, margin, weight, red := opt.Read4(op, opts, P(1), Margin(1), WeightOption{}, ReductionMean)
	h, t, w := input.HandleFor(op, 0), target.HandleFor(op, 1), weight.Tensor().OptionalHandleFor(op, 2)
	opt.CheckMultiMargin(op, float64(p), weight.Tensor())
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, input, target, weight.Tensor())
	return r.Tensor(aten.MultiMarginLoss(r.Ctx, h, t, integer(int64(p)), float(margin), w, code))
}

// MultilabelSoftMarginLoss returns the binary cross entropy of sigmoid(input),
// averaged over the classes. Logits and targets have shape (N, C) or (C) and
// broadcast. A [Weight] of shape (C) has a factor for each class. The result is the
// mean as a scalar, or another [Reduction]; with ReductionNone it has shape (N) or
// (). It panics with ErrShape for sizes that do not broadcast and with ErrIndex for
// an input without dimensions.
// Follows torch.nn.functional.multilabel_soft_margin_loss.
func MultilabelSoftMarginLoss(input, target *torch.Tensor, opts ...MultilabelSoftMarginLossOption) *torch.Tensor {
	const op = "MultilabelSoftMarginLoss(input, target, weight)"
	weight, red := opt.Read2(op, opts, WeightOption{}, ReductionMean)
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	weight.Tensor().OptionalHandleFor(op, 2)
	code := reductionCode(op, red)
	dim := input.Dim() - 1
	if dim < 0 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			"expected at least one dimension, the dimension of the classes"))
	}
	classes := float64(input.Size(dim))
	return torch.Tidy(func() *torch.Tensor {
		// Each step frees the previous result.
		like := unary(op, aten.LogSigmoid, input)
		loss := closeInputs(binary(op, aten.MulTensor, target, like), like)
		rest := unary(op,
			func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.RsubScalar(cx, h, integer(1), integer(1)) }, target)
		minus := unary(op, aten.Neg, input)
		unlike := closeInputs(unary(op, aten.LogSigmoid, minus), minus)
		rest = closeInputs(binary(op, aten.MulTensor, rest, unlike), rest, unlike)
		loss = closeInputs(binary(op, addTensor, loss, rest), loss, rest)
		loss = closeInputs(unary(op, aten.Neg, loss), loss)
		if weight.Tensor() != nil {
			loss = closeInputs(binary(op, aten.MulTensor, loss, weight.Tensor()), loss)
		}
		loss = unaryClosing(op, loss, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.SumDimIntList(cx, h, []int64{dim}, false, -1)
		})
		loss = unaryClosing(op, loss,
			func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.DivScalar(cx, h, float(classes)) })
		return reduceLoss(op, loss, code)
	})
}

// closeInputs closes xs, from which y was computed, and returns y.
func closeInputs(y *torch.Tensor, xs ...*torch.Tensor) *torch.Tensor {
	for _, x := range xs {
		_ = x.Close()
	}
	return y
}

// reduceLoss applies the reduction to loss, and closes loss, unless the result is loss
// itself.
func reduceLoss(op string, loss *torch.Tensor, code int64) *torch.Tensor {
	switch code {
	case 0:
		return loss
	case 1:
		return unaryClosing(op, loss, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Mean(cx, h, -1) })
	}
	return unaryClosing(op, loss, sumAll)
}

func mustBeUsable(op string, x, y, z *torch.Tensor) {
	x.HandleFor(op, 0)
	y.HandleFor(op, 1)
	z.HandleFor(op, 2)
}

// mustHaveSameRank panics unless x and y have the same number of dimensions n, and z
// has n - fewer.
func mustHaveSameRank(op, arg string, x, y, z *torch.Tensor, fewer int64) {
	if n := x.Dim(); n != y.Dim() || n != z.Dim()+fewer {
		want := "the same number of dimensions"
		if fewer == 1 {
			want = "the same number of dimensions, and " + arg + " one less"
		}
		panic(torch.NewError(op, torch.ErrShape, arg,
			fmt.Sprintf("all must have %s, got sizes %v, %v and %v", want, x.Shape(), y.Shape(), z.Shape())))
	}
}

// tripleLoss calls f, a loss operator of libtorch, on three tensors.
func tripleLoss(op string, f func(_ abi.Ctx, _, _, _ abi.Tensor, reduction int64) abi.Ret, x, y, z *torch.Tensor,
	red Reduction,
) *torch.Tensor {
	a, b, c := x.HandleFor(op, 0), y.HandleFor(op, 1), z.HandleFor(op, 2)
	code := reductionCode(op, red)
	r := torch.BeginRaw(op, x, y, z)
	return r.Tensor(f(r.Ctx, a, b, c, code))
}
