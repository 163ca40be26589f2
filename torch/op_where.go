package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// operand is an argument that may be a tensor or a number.
type operand struct {
	t *Tensor
	h abi.Tensor
	s abi.Scalar
}

// operandArg reads argument number i of op, called arg: a *Tensor or a number.
// It panics as handle and scalarArg do.
func operandArg(op string, i int, arg string, v any) operand {
	if t, ok := v.(*Tensor); ok {
		return operand{t: t, h: t.handle(op, i)}
	}
	return operand{s: scalarAs(op, arg, orTensor, v)}
}

// orTensor describes, in errors, an argument that may be a tensor or a number.
const orTensor = "a tensor, number, bool or complex"

// Where returns a's elements where condition is true, and b's elements elsewhere. Each of
// a and b is a *Tensor or a number. Shapes broadcast and dtypes are promoted. It panics
// with ErrType for any other type, with ErrShape if the shapes do not broadcast, and with
// ErrDType for a condition that is not Bool. Follows torch.where.
func Where(condition *Tensor, a, b any) *Tensor {
	const op = "Where(condition, a, b)"
	return where(op, condition, operandArg(op, 1, "a", a), operandArg(op, 2, "b", b))
}

// Where returns t's elements where condition is true, and other's elsewhere. other is a
// *Tensor or a number. It panics as the function Where does. Follows Tensor.where.
func (t *Tensor) Where(condition *Tensor, other any) *Tensor {
	const op = "Where(condition, self, other)"
	self := operand{t: t, h: t.handle(op, 1)}
	return where(op, condition, self, operandArg(op, 2, "other", other))
}

func where(op string, condition *Tensor, x, y operand) *Tensor {
	c := condition.handle(op, 0)
	switch {
	case x.t != nil && y.t != nil:
		r := BeginRaw(op, condition, x.t, y.t)
		return r.Tensor(aten.WhereSelf(r.Ctx, c, x.h, y.h))
	case x.t != nil:
		r := BeginRaw(op, condition, x.t)
		return r.Tensor(aten.WhereScalarOther(r.Ctx, c, x.h, y.s))
	case y.t != nil:
		r := BeginRaw(op, condition, y.t)
		return r.Tensor(aten.WhereScalarSelf(r.Ctx, c, x.s, y.h))
	default:
		r := BeginRaw(op, condition)
		return r.Tensor(aten.WhereScalar(r.Ctx, c, x.s, y.s))
	}
}

// MaskedFill returns a copy of t in which the elements where mask is true are set to
// value, a number or a *Tensor without dimensions. The shapes broadcast. It panics with
// ErrShape if the shapes do not broadcast, with ErrDType for a mask that is not Bool, and
// with ErrType for a value of any other type. Follows torch.masked_fill.
func (t *Tensor) MaskedFill(mask *Tensor, value any) *Tensor {
	const op = "MaskedFill(self, mask, value)"
	h, m, v := t.handle(op, 0), mask.handle(op, 1), operandArg(op, 2, "value", value)
	if v.t != nil {
		r := BeginRaw(op, t, mask, v.t)
		return r.Tensor(aten.MaskedFillTensor(r.Ctx, h, m, v.h))
	}
	r := BeginRaw(op, t, mask)
	return r.Tensor(aten.MaskedFillScalar(r.Ctx, h, m, v.s))
}

// MaskedFill_ is the in-place form of MaskedFill. It modifies t, which keeps
// its shape and dtype, and returns t. It panics as MaskedFill does, with
// ErrShape if the mask does not broadcast to t's shape, and with ErrAutograd
// for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.masked_fill_.
func (t *Tensor) MaskedFill_(mask *Tensor, value any) *Tensor {
	const op = "MaskedFill_(self, mask, value)"
	h, m, v := t.handle(op, 0), mask.handle(op, 1), operandArg(op, 2, "value", value)
	if v.t != nil {
		r := BeginRaw(op, t, mask, v.t)
		r.Status(aten.MaskedFill_Tensor(r.Ctx, h, m, v.h))
	} else {
		r := BeginRaw(op, t, mask)
		r.Status(aten.MaskedFill_Scalar(r.Ctx, h, m, v.s))
	}
	return t
}

// Clamp returns t limited to the range from lo to hi. Either bound may be nil.
// If lo is above hi the result is hi. It panics with ErrType if a bound is not
// a number, with ErrValue if both are nil or one is out of range, and with
// ErrDType for complex numbers. Follows torch.clamp.
func (t *Tensor) Clamp(lo, hi any) *Tensor {
	return clamp("Clamp(self)", t, lo, hi)
}

func clamp(op string, t *Tensor, lo, hi any) *Tensor {
	a, b := ScalarOf(op, "lo", lo), ScalarOf(op, "hi", hi)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Clamp(cx, h, a, b) }, t)
}

// Clamp_ is the in-place form of Clamp. It modifies t, which keeps its shape
// and dtype, and returns t. It panics as Clamp does, with ErrDType if the
// result does not fit t's dtype, and with ErrAutograd for a leaf that requires
// gradients, outside NoGrad. Follows torch.clamp_.
func (t *Tensor) Clamp_(lo, hi any) *Tensor {
	return clampInPlace("Clamp_(self)", t, lo, hi)
}

func clampInPlace(op string, t *Tensor, lo, hi any) *Tensor {
	a, b := ScalarOf(op, "lo", lo), ScalarOf(op, "hi", hi)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Clamp_(cx, h, a, b) }, t)
}

// ClampTensor is [Tensor.Clamp] with bounds for each element; either may be
// nil. Shapes broadcast. It panics as Add and Clamp do. Follows torch.clamp.
func (t *Tensor) ClampTensor(lo, hi *Tensor) *Tensor {
	const op = "ClampTensor(self, lo, hi)"
	h := t.handle(op, 0)
	var a, b abi.Tensor
	if lo != nil {
		a = lo.handle(op, 1)
	}
	if hi != nil {
		b = hi.handle(op, 2)
	}
	r := BeginRaw(op, t, lo, hi)
	return r.Tensor(aten.ClampTensor(r.Ctx, h, a, b))
}

// ClampMin returns max(t, lo) for a number lo. It panics as AddScalar does, and
// with ErrDType for complex numbers. Follows torch.clamp_min.
func (t *Tensor) ClampMin(lo any) *Tensor {
	return withScalar("ClampMin(self)", aten.ClampMin, t, "lo", lo)
}

// ClampMax returns min(t, hi) for a number hi. It panics as AddScalar does, and
// with ErrDType for complex numbers. Follows torch.clamp_max.
func (t *Tensor) ClampMax(hi any) *Tensor {
	return withScalar("ClampMax(self)", aten.ClampMax, t, "hi", hi)
}

// ClampMin_ is the in-place form of ClampMin. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as ClampMin does, with ErrDType if
// the result does not fit t's dtype, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows torch.clamp_min_.
func (t *Tensor) ClampMin_(lo any) *Tensor {
	return scalarInPlace("ClampMin_(self)", aten.ClampMin_, t, "lo", lo)
}

// ClampMax_ is the in-place form of ClampMax. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as ClampMax does, with ErrDType if
// the result does not fit t's dtype, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows torch.clamp_max_.
func (t *Tensor) ClampMax_(hi any) *Tensor {
	return scalarInPlace("ClampMax_(self)", aten.ClampMax_, t, "hi", hi)
}
