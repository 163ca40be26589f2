package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// In-place operators change their receiver and return it, so calls chain as in
// Python. The receiver keeps its shape and dtype: an operator whose result does
// not fit panics, with ErrShape or ErrDType. A leaf that requires gradients may
// be changed inside NoGrad only (ErrAutograd), and changing what an earlier
// operator saved for its gradient makes Backward panic with ErrAutograd.
// Arguments and other panics are those of the operator without the underscore.

// Add_ adds other to t in place and returns t. The shape of other must
// broadcast to t's, and its dtype convert to t's. Follows Tensor.add_.
func (t *Tensor) Add_(other *Tensor) *Tensor {
	const op = "Add_(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	st := aten.Add_Tensor(r.Ctx, a, b, one)
	if r.again(st) {
		st = aten.Add_Tensor(r.Ctx, a, b, one)
	}
	r.Status(st, t, other)
	return t
}

// AddScalar_ adds a number to t in place and returns t. Follows Tensor.add_.
func (t *Tensor) AddScalar_(other any) *Tensor {
	const op = "AddScalar_(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	r := BeginRaw(op)
	st := aten.Add_Scalar(r.Ctx, h, v, one)
	if r.again(st) {
		st = aten.Add_Scalar(r.Ctx, h, v, one)
	}
	r.Status(st, t)
	return t
}

// AddAlpha_ adds alpha * other to t in place and returns t. Follows
// Tensor.add_(..., alpha=alpha).
func (t *Tensor) AddAlpha_(other *Tensor, alpha any) *Tensor {
	const op = "AddAlpha_(self, other)"
	a, b, v := t.handle(op, 0), other.handle(op, 1), scalarArg(op, "alpha", alpha)
	r := BeginRaw(op)
	st := aten.Add_Tensor(r.Ctx, a, b, v)
	if r.again(st) {
		st = aten.Add_Tensor(r.Ctx, a, b, v)
	}
	r.Status(st, t, other)
	return t
}

// Sub_ subtracts other from t in place and returns t. Follows Tensor.sub_.
func (t *Tensor) Sub_(other *Tensor) *Tensor {
	const op = "Sub_(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	st := aten.Sub_Tensor(r.Ctx, a, b, one)
	if r.again(st) {
		st = aten.Sub_Tensor(r.Ctx, a, b, one)
	}
	r.Status(st, t, other)
	return t
}

// SubScalar_ subtracts a number from t in place and returns t. Follows
// Tensor.sub_.
func (t *Tensor) SubScalar_(other any) *Tensor {
	const op = "SubScalar_(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	r := BeginRaw(op)
	st := aten.Sub_Scalar(r.Ctx, h, v, one)
	if r.again(st) {
		st = aten.Sub_Scalar(r.Ctx, h, v, one)
	}
	r.Status(st, t)
	return t
}

// SubAlpha_ subtracts alpha * other from t in place and returns t. Follows
// Tensor.sub_(..., alpha=alpha).
func (t *Tensor) SubAlpha_(other *Tensor, alpha any) *Tensor {
	const op = "SubAlpha_(self, other)"
	a, b, v := t.handle(op, 0), other.handle(op, 1), scalarArg(op, "alpha", alpha)
	r := BeginRaw(op)
	st := aten.Sub_Tensor(r.Ctx, a, b, v)
	if r.again(st) {
		st = aten.Sub_Tensor(r.Ctx, a, b, v)
	}
	r.Status(st, t, other)
	return t
}

// Div_ divides t by other in place and returns t. It panics with ErrDType for
// an integer t; see DivMode_. Follows Tensor.div_.
func (t *Tensor) Div_(other *Tensor) *Tensor {
	return binaryInPlace("Div_(self, other)", aten.Div_Tensor, t, other)
}

// DivScalar_ divides t by a number in place and returns t. Panics are those of
// Div_. Follows Tensor.div_.
func (t *Tensor) DivScalar_(other any) *Tensor {
	return scalarInPlace("DivScalar_(self)", aten.Div_Scalar, t, "other", other)
}

// DivMode_ divides t by other in place, rounded as mode says, and returns t.
// Follows Tensor.div_(..., rounding_mode=mode).
func (t *Tensor) DivMode_(other *Tensor, mode RoundingMode) *Tensor {
	const op = "DivMode_(self, other)"
	m := mode.arg(op)
	return binaryInPlace(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Status { return aten.Div_TensorMode(cx, a, b, m) }, t, other)
}

// Addcmul_ is Addcmul in place; it returns t. Follows Tensor.addcmul_.
func (t *Tensor) Addcmul_(tensor1, tensor2 *Tensor, value any) *Tensor {
	const op = "Addcmul_(self, tensor1, tensor2)"
	v := factorArg(op, value)
	return ternaryInPlace(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Status { return aten.Addcmul_(cx, a, b, c, v) }, t, tensor1, tensor2)
}

// Addcdiv_ is Addcdiv in place; it returns t. Follows Tensor.addcdiv_.
func (t *Tensor) Addcdiv_(tensor1, tensor2 *Tensor, value any) *Tensor {
	const op = "Addcdiv_(self, tensor1, tensor2)"
	v := factorArg(op, value)
	return ternaryInPlace(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Status { return aten.Addcdiv_(cx, a, b, c, v) }, t, tensor1, tensor2)
}

// LerpScalar_ is LerpScalar in place; it returns t. Follows Tensor.lerp_.
func (t *Tensor) LerpScalar_(end *Tensor, weight any) *Tensor {
	const op = "LerpScalar_(self, end)"
	a, b, v := t.handle(op, 0), end.handle(op, 1), scalarArg(op, "weight", weight)
	r := BeginRaw(op)
	r.Status(aten.Lerp_Scalar(r.Ctx, a, b, v), t, end)
	return t
}
