package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

type dropoutFunc = func(cx abi.Ctx, x abi.Tensor, p float64, train bool) abi.Ret

func dropout(op string, f dropoutFunc, x *torch.Tensor, p float64, training bool) *torch.Tensor {
	h := x.HandleFor(op, 0)
	if !(p >= 0 && p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "p", "a probability lies between 0 and 1"))
	}
	r := torch.BeginRaw(op)
	return r.Tensor(f(r.Ctx, h, p, training), x)
}

// Dropout sets each element to 0 with probability p and divides the others by
// 1 - p. If training is false the result is x, as a handle of its own. Random
// numbers come from the device's default generator in PyTorch's order. It
// panics with ErrValue unless 0 <= p <= 1. Follows
// torch.nn.functional.dropout.
func Dropout(x *torch.Tensor, p float64, training bool) *torch.Tensor {
	return dropout("Dropout(input)", aten.Dropout, x, p, training)
}

// Dropout2d is Dropout of whole channels, for x of shape (N, C, *). Follows
// torch.nn.functional.dropout2d.
func Dropout2d(x *torch.Tensor, p float64, training bool) *torch.Tensor {
	return dropout("Dropout2d(input)", aten.FeatureDropout, x, p, training)
}

// AlphaDropout is Dropout that keeps mean and variance after SELU. Follows
// torch.nn.functional.alpha_dropout.
func AlphaDropout(x *torch.Tensor, p float64, training bool) *torch.Tensor {
	return dropout("AlphaDropout(input)", aten.AlphaDropout, x, p, training)
}
