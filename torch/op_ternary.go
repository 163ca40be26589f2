package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Frexp splits t into mantissa and exponent: t = mantissa * 2**exponent, with
// the mantissa's size in [0.5, 1) and the exponent int32. Both results are new
// tensors, owned by the innermost scope, else by the collector. It panics with
// ErrNil or ErrClosed for a tensor that is nil or closed, and with ErrDType for
// anything but floating point. Follows torch.frexp.
func (t *Tensor) Frexp() (mantissa, exponent *Tensor) {
	const op = "Frexp(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op, t)
	res, st := aten.FrexpTensor(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// LerpScalar is Lerp with one weight. The result is a new tensor, owned by the
// innermost scope, else by the collector. It panics as Lerp does, with ErrType
// if weight is no number, and with ErrValue if it does not fit.
// Follows torch.lerp.
func (t *Tensor) LerpScalar(end *Tensor, weight any) *Tensor {
	const op = "LerpScalar(self, end)"
	a, b, v := t.handle(op, 0), end.handle(op, 1), scalarArg(op, "weight", weight)
	r := BeginRaw(op, t, end)
	return r.Tensor(aten.LerpScalar(r.Ctx, a, b, v))
}

// Addcmul returns t + value * tensor1 * tensor2 as a new tensor; [Value] is 1
// unless given, and loses its fraction with integer tensors, as in Python. The
// shapes broadcast. The result is owned by the innermost scope, else by the
// collector. It panics as Add does. Follows torch.addcmul.
func (t *Tensor) Addcmul(tensor1, tensor2 *Tensor, opts ...AddcmulOption) *Tensor {
	const op = "Addcmul(self, tensor1, tensor2)"
	v := readAddcmul(op, opts)
	return ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return aten.Addcmul(cx, a, b, c, v) }, t, tensor1, tensor2)
}

// Addcdiv returns t + value * tensor1 / tensor2 as a new tensor; [Value] is 1
// unless given. The shapes broadcast. The result is owned by the innermost
// scope, else by the collector. It panics as Add does, and with ErrDType for
// integer tensors. Follows torch.addcdiv.
func (t *Tensor) Addcdiv(tensor1, tensor2 *Tensor, opts ...AddcmulOption) *Tensor {
	const op = "Addcdiv(self, tensor1, tensor2)"
	v := readAddcmul(op, opts)
	return ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return aten.Addcdiv(cx, a, b, c, v) }, t, tensor1, tensor2)
}
