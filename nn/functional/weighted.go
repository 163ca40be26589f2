package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// weightedLoss is differenceLoss with a factor for each element. If byWeight is set, the mean
// divides by the sum of the factors, otherwise by the number of elements.
func weightedLoss(op string, f elementwiseFunc, input, target, weight *torch.Tensor, red Reduction,
	byWeight bool,
) *torch.Tensor {
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	weight.HandleFor(op, 2)
	reductionCode(op, red)
	if a, b := input.Shape(), weight.Shape(); !a.Equal(b) {
		panic(torch.NewError(op, torch.ErrShape, "weight", fmt.Sprintf("expected the input's size %[2]v, got %[1]v", b,
			a)))
	}
	return torch.Tidy(func() *torch.Tensor {
		loss := binary(op, aten.MulTensor, differenceLoss(op, f, input, target, ReductionNone), weight)
		switch {
		case red == ReductionNone:
			return loss
		case red == ReductionSum:
			return unary(op, sumAll, loss)
		case byWeight:
			return binary(op, aten.DivTensor, unary(op, sumAll, loss), unary(op, sumAll, weight))
		}
		return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Mean(cx, h, -1) }, loss)
	})
}

func sumAll(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Sum(cx, h, -1) }

func binary(op string, f func(_ abi.Ctx, _, _ abi.Tensor) abi.Ret, x, y *torch.Tensor) *torch.Tensor {
	a, b := x.HandleFor(op, 0), y.HandleFor(op, 1)
	r := torch.BeginRaw(op, x, y)
	return r.Tensor(f(r.Ctx, a, b))
}
