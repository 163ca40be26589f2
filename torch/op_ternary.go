package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Frexp returns mantissa and exponent with t = mantissa * 2**exponent. The mantissa's
// absolute value is in [0.5, 1), and the exponent is Int32. It panics with ErrDType
// unless t is floating-point. Follows torch.frexp.
func (t *Tensor) Frexp() (mantissa, exponent *Tensor) {
	const op = "Frexp(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	res, st := aten.FrexpTensor(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// LerpScalar is Lerp with one weight. It panics as Lerp does, with ErrType if
// weight is not a number, and with ErrValue if weight is out of range.
// Follows torch.lerp.
func (t *Tensor) LerpScalar(end *Tensor, weight any) *Tensor {
	const op = "LerpScalar(self, end)"
	a, b, v := t.handle(op, 0), end.handle(op, 1), scalarArg(op, "weight", weight)
	r := BeginRaw(op, t, end)
	return r.Tensor(aten.LerpScalar(r.Ctx, a, b, v))
}

// Addcmul returns t + value * tensor1 * tensor2, where value is [Value]
// (default 1). With integer tensors Value is truncated, as in Python. Shapes
// broadcast. It panics as Add does. Follows torch.addcmul.
func (t *Tensor) Addcmul(tensor1, tensor2 *Tensor, opts ...AddcmulOption) *Tensor {
	const op = "Addcmul(self, tensor1, tensor2)"
	v := readAddcmul(op, opts)
	return ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return aten.Addcmul(cx, a, b, c, v) }, t, tensor1,
		tensor2)
}

// Addcdiv returns t + value * tensor1 / tensor2, where value is [Value]
// (default 1). Shapes broadcast. It panics as Add does, and with ErrDType for
// integer tensors. Follows torch.addcdiv.
func (t *Tensor) Addcdiv(tensor1, tensor2 *Tensor, opts ...AddcmulOption) *Tensor {
	const op = "Addcdiv(self, tensor1, tensor2)"
	v := readAddcmul(op, opts)
	return ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return aten.Addcdiv(cx, a, b, c, v) }, t, tensor1,
		tensor2)
}
