package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// weighted is difference with a factor for each element. If byWeight is set, the mean
// divides by the sum of the factors, otherwise by the number of elements.
func weighted(op string, f elementwiseFunc, input, target, weight *torch.Tensor, red Reduction,
	byWeight bool,
) *torch.Tensor {
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	weight.HandleFor(op, 2)
	reduction(op, red)
	if a, b := input.Shape(), weight.Shape(); !a.Equal(b) {
		panic(torch.NewError(op, torch.ErrShape, "weight", fmt.Sprintf("size %v must be that of the input, %v", b, a)))
	}
	return torch.Tidy(func() *torch.Tensor {
		loss := pair(op, aten.MulTensor, difference(op, f, input, target, ReductionNone), weight)
		switch {
		case red == ReductionNone:
			return loss
		case red == ReductionSum:
			return unary(op, total, loss)
		case byWeight:
			return pair(op, aten.DivTensor, unary(op, total, loss), unary(op, total, weight))
		}
		return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Mean(cx, h, -1) }, loss)
	})
}

func total(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Sum(cx, h, -1) }

func pair(op string, f func(_ abi.Ctx, _, _ abi.Tensor) abi.Ret, x, y *torch.Tensor) *torch.Tensor {
	a, b := x.HandleFor(op, 0), y.HandleFor(op, 1)
	r := torch.BeginRaw(op, x, y)
	return r.Tensor(f(r.Ctx, a, b))
}
