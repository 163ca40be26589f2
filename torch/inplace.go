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

// Mul_ multiplies t by other in place and returns t. Follows Tensor.mul_.
func (t *Tensor) Mul_(other *Tensor) *Tensor {
	return binaryInPlace("Mul_(self, other)", aten.Mul_Tensor, t, other)
}

// MulScalar_ multiplies t by a number in place and returns t. Follows
// Tensor.mul_.
func (t *Tensor) MulScalar_(other any) *Tensor {
	return scalarInPlace("MulScalar_(self)", aten.Mul_Scalar, t, "other", other)
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

// FloorDivide_ is FloorDivide in place; it returns t. Follows
// Tensor.floor_divide_.
func (t *Tensor) FloorDivide_(other *Tensor) *Tensor {
	return binaryInPlace("FloorDivide_(self, other)", aten.FloorDivide_Tensor, t, other)
}

// FloorDivideScalar_ is FloorDivideScalar in place; it returns t. Follows
// Tensor.floor_divide_.
func (t *Tensor) FloorDivideScalar_(other any) *Tensor {
	return scalarInPlace("FloorDivideScalar_(self)", aten.FloorDivide_Scalar, t, "other", other)
}

// Remainder_ is Remainder in place; it returns t. Follows Tensor.remainder_.
func (t *Tensor) Remainder_(other *Tensor) *Tensor {
	return binaryInPlace("Remainder_(self, other)", aten.Remainder_Tensor, t, other)
}

// RemainderScalar_ is RemainderScalar in place; it returns t. Follows
// Tensor.remainder_.
func (t *Tensor) RemainderScalar_(other any) *Tensor {
	return scalarInPlace("RemainderScalar_(self)", aten.Remainder_Scalar, t, "other", other)
}

// Fmod_ is Fmod in place; it returns t. Follows Tensor.fmod_.
func (t *Tensor) Fmod_(other *Tensor) *Tensor {
	return binaryInPlace("Fmod_(self, other)", aten.Fmod_Tensor, t, other)
}

// FmodScalar_ is FmodScalar in place; it returns t. Follows Tensor.fmod_.
func (t *Tensor) FmodScalar_(other any) *Tensor {
	return scalarInPlace("FmodScalar_(self)", aten.Fmod_Scalar, t, "other", other)
}

// Pow_ is Pow in place; it returns t. Follows Tensor.pow_.
func (t *Tensor) Pow_(exponent *Tensor) *Tensor {
	return binaryInPlace("Pow_(self, exponent)", aten.Pow_Tensor, t, exponent)
}

// PowScalar_ is PowScalar in place; it returns t. Follows Tensor.pow_.
func (t *Tensor) PowScalar_(exponent any) *Tensor {
	return scalarInPlace("PowScalar_(self)", aten.Pow_Scalar, t, "exponent", exponent)
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

// Lerp_ is Lerp in place; it returns t. Follows Tensor.lerp_.
func (t *Tensor) Lerp_(end, weight *Tensor) *Tensor {
	return ternaryInPlace("Lerp_(self, end, weight)", aten.Lerp_Tensor, t, end, weight)
}

// LerpScalar_ is LerpScalar in place; it returns t. Follows Tensor.lerp_.
func (t *Tensor) LerpScalar_(end *Tensor, weight any) *Tensor {
	const op = "LerpScalar_(self, end)"
	a, b, v := t.handle(op, 0), end.handle(op, 1), scalarArg(op, "weight", weight)
	r := BeginRaw(op)
	r.Status(aten.Lerp_Scalar(r.Ctx, a, b, v), t, end)
	return t
}

// Atan2_ is Atan2 in place; it returns t. Follows Tensor.atan2_.
func (t *Tensor) Atan2_(other *Tensor) *Tensor {
	return binaryInPlace("Atan2_(self, other)", aten.Atan2_, t, other)
}

// Hypot_ is Hypot in place; it returns t. Follows Tensor.hypot_.
func (t *Tensor) Hypot_(other *Tensor) *Tensor {
	return binaryInPlace("Hypot_(self, other)", aten.Hypot_, t, other)
}

// Gcd_ is Gcd in place; it returns t. Follows Tensor.gcd_.
func (t *Tensor) Gcd_(other *Tensor) *Tensor {
	return binaryInPlace("Gcd_(self, other)", aten.Gcd_, t, other)
}

// Lcm_ is Lcm in place; it returns t. Follows Tensor.lcm_.
func (t *Tensor) Lcm_(other *Tensor) *Tensor {
	return binaryInPlace("Lcm_(self, other)", aten.Lcm_, t, other)
}

// Copysign_ is Copysign in place; it returns t. Follows Tensor.copysign_.
func (t *Tensor) Copysign_(other *Tensor) *Tensor {
	return binaryInPlace("Copysign_(self, other)", aten.Copysign_Tensor, t, other)
}

// Xlogy_ is Xlogy in place; it returns t. Follows Tensor.xlogy_.
func (t *Tensor) Xlogy_(other *Tensor) *Tensor {
	return binaryInPlace("Xlogy_(self, other)", aten.Xlogy_Tensor, t, other)
}

// LogicalAnd_ is LogicalAnd in place, in t's dtype; it returns t. Follows
// Tensor.logical_and_.
func (t *Tensor) LogicalAnd_(other *Tensor) *Tensor {
	return binaryInPlace("LogicalAnd_(self, other)", aten.LogicalAnd_, t, other)
}

// LogicalOr_ is LogicalOr in place, in t's dtype; it returns t. Follows
// Tensor.logical_or_.
func (t *Tensor) LogicalOr_(other *Tensor) *Tensor {
	return binaryInPlace("LogicalOr_(self, other)", aten.LogicalOr_, t, other)
}

// LogicalXor_ is LogicalXor in place, in t's dtype; it returns t. Follows
// Tensor.logical_xor_.
func (t *Tensor) LogicalXor_(other *Tensor) *Tensor {
	return binaryInPlace("LogicalXor_(self, other)", aten.LogicalXor_, t, other)
}

// LogicalNot_ is LogicalNot in place, in t's dtype; it returns t. Follows
// Tensor.logical_not_.
func (t *Tensor) LogicalNot_() *Tensor { return unaryInPlace("LogicalNot_(self)", aten.LogicalNot_, t) }

// BitwiseAnd_ is BitwiseAnd in place; it returns t. Follows
// Tensor.bitwise_and_.
func (t *Tensor) BitwiseAnd_(other *Tensor) *Tensor {
	return binaryInPlace("BitwiseAnd_(self, other)", aten.BitwiseAnd_Tensor, t, other)
}

// BitwiseOr_ is BitwiseOr in place; it returns t. Follows Tensor.bitwise_or_.
func (t *Tensor) BitwiseOr_(other *Tensor) *Tensor {
	return binaryInPlace("BitwiseOr_(self, other)", aten.BitwiseOr_Tensor, t, other)
}

// BitwiseXor_ is BitwiseXor in place; it returns t. Follows
// Tensor.bitwise_xor_.
func (t *Tensor) BitwiseXor_(other *Tensor) *Tensor {
	return binaryInPlace("BitwiseXor_(self, other)", aten.BitwiseXor_Tensor, t, other)
}

// BitwiseNot_ is BitwiseNot in place; it returns t. Follows
// Tensor.bitwise_not_.
func (t *Tensor) BitwiseNot_() *Tensor { return unaryInPlace("BitwiseNot_(self)", aten.BitwiseNot_, t) }

// BitwiseLeftShift_ is BitwiseLeftShift in place; it returns t. Follows
// Tensor.bitwise_left_shift_.
func (t *Tensor) BitwiseLeftShift_(other *Tensor) *Tensor {
	return binaryInPlace("BitwiseLeftShift_(self, other)", aten.BitwiseLeftShift_Tensor, t, other)
}

// BitwiseRightShift_ is BitwiseRightShift in place; it returns t. Follows
// Tensor.bitwise_right_shift_.
func (t *Tensor) BitwiseRightShift_(other *Tensor) *Tensor {
	return binaryInPlace("BitwiseRightShift_(self, other)", aten.BitwiseRightShift_Tensor, t, other)
}
