package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// Linear returns input @ weight.T + bias, of shape (*, out), for input of shape (*, in),
// weight (out, in) and bias (out) or nil. It panics with ErrShape for sizes that do not
// match and with ErrDType or ErrDevice for different dtypes or devices. Follows
// torch.nn.functional.linear.
func Linear(input, weight, bias *torch.Tensor) *torch.Tensor {
	const op = "Linear(input, weight, bias)"
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	return r.Tensor(aten.Linear(r.Ctx, h, w, b))
}

// Bilinear returns input1 @ weight @ input2 + bias, of shape (*, out), for input1 of
// shape (*, in1), input2 (*, in2), weight (out, in1, in2) and bias (out) or nil. It
// panics as [Linear] does. Follows torch.nn.functional.bilinear.
func Bilinear(input1, input2, weight, bias *torch.Tensor) *torch.Tensor {
	const op = "Bilinear(input1, input2, weight, bias)"
	h1, h2, w, b := input1.HandleFor(op, 0), input2.HandleFor(op, 1), weight.HandleFor(op, 2),
		bias.OptionalHandleFor(op, 3)
	r := torch.BeginRaw(op, input1, input2, weight, bias)
	return r.Tensor(aten.Bilinear(r.Ctx, h1, h2, w, b))
}
