package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Eq returns t == other, element by element, as a Bool tensor. The shapes
// broadcast. Comparisons have no gradient, and NaN is equal to nothing. Panics
// are those of Add. Follows torch.eq.
func (t *Tensor) Eq(other *Tensor) *Tensor {
	return binary("Eq(self, other)", aten.EqTensor, t, other)
}

// EqScalar is Eq for a number. Panics are those of AddScalar. Follows torch.eq.
func (t *Tensor) EqScalar(other any) *Tensor {
	return withScalar("EqScalar(self)", aten.EqScalar, t, "other", other)
}

// Ne returns t != other as a Bool tensor. Follows torch.ne.
func (t *Tensor) Ne(other *Tensor) *Tensor {
	return binary("Ne(self, other)", aten.NeTensor, t, other)
}

// NeScalar is Ne for a number. Follows torch.ne.
func (t *Tensor) NeScalar(other any) *Tensor {
	return withScalar("NeScalar(self)", aten.NeScalar, t, "other", other)
}

// Lt returns t < other as a Bool tensor. It panics as Eq does, and with
// ErrDType for complex numbers. Follows torch.lt.
func (t *Tensor) Lt(other *Tensor) *Tensor {
	return binary("Lt(self, other)", aten.LtTensor, t, other)
}

// LtScalar is Lt for a number. Follows torch.lt.
func (t *Tensor) LtScalar(other any) *Tensor {
	return withScalar("LtScalar(self)", aten.LtScalar, t, "other", other)
}

// Le returns t <= other as a Bool tensor. It panics as Eq does, and with
// ErrDType for complex numbers. Follows torch.le.
func (t *Tensor) Le(other *Tensor) *Tensor {
	return binary("Le(self, other)", aten.LeTensor, t, other)
}

// LeScalar is Le for a number. Follows torch.le.
func (t *Tensor) LeScalar(other any) *Tensor {
	return withScalar("LeScalar(self)", aten.LeScalar, t, "other", other)
}

// Gt returns t > other as a Bool tensor. It panics as Eq does, and with
// ErrDType for complex numbers. Follows torch.gt.
func (t *Tensor) Gt(other *Tensor) *Tensor {
	return binary("Gt(self, other)", aten.GtTensor, t, other)
}

// GtScalar is Gt for a number. Follows torch.gt.
func (t *Tensor) GtScalar(other any) *Tensor {
	return withScalar("GtScalar(self)", aten.GtScalar, t, "other", other)
}

// Ge returns t >= other as a Bool tensor. It panics as Eq does, and with
// ErrDType for complex numbers. Follows torch.ge.
func (t *Tensor) Ge(other *Tensor) *Tensor {
	return binary("Ge(self, other)", aten.GeTensor, t, other)
}

// GeScalar is Ge for a number. Follows torch.ge.
func (t *Tensor) GeScalar(other any) *Tensor {
	return withScalar("GeScalar(self)", aten.GeScalar, t, "other", other)
}

// IsNaN returns a Bool tensor: true where t is NaN. Follows torch.isnan.
func (t *Tensor) IsNaN() *Tensor { return unary("IsNaN(self)", aten.Isnan, t) }

// IsInf returns a Bool tensor: true where t is plus or minus infinity. Follows
// torch.isinf.
func (t *Tensor) IsInf() *Tensor { return unary("IsInf(self)", aten.Isinf, t) }

// IsPosInf returns a Bool tensor: true where t is plus infinity. It panics with
// ErrDType for complex numbers. Follows torch.isposinf.
func (t *Tensor) IsPosInf() *Tensor { return unary("IsPosInf(self)", aten.Isposinf, t) }

// IsNegInf returns a Bool tensor: true where t is minus infinity. It panics
// with ErrDType for complex numbers. Follows torch.isneginf.
func (t *Tensor) IsNegInf() *Tensor { return unary("IsNegInf(self)", aten.Isneginf, t) }

// IsFinite returns a Bool tensor: true where t is neither infinite nor NaN.
// Follows torch.isfinite.
func (t *Tensor) IsFinite() *Tensor { return unary("IsFinite(self)", aten.Isfinite, t) }

// IsReal returns a Bool tensor: true where the imaginary part is 0. Follows
// torch.isreal.
func (t *Tensor) IsReal() *Tensor { return unary("IsReal(self)", aten.Isreal, t) }

// IsIn returns a Bool tensor of t's shape: true where the element occurs in
// test, whatever its shape. Follows torch.isin.
func (t *Tensor) IsIn(test *Tensor) *Tensor {
	return binary("IsIn(self, test)", func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.IsinTensorTensor(cx, a, b, false, false)
	}, t, test)
}

// IsClose returns a Bool tensor: true where |t - other| <= atol + rtol *
// |other|. PyTorch's defaults are rtol 1e-5, atol 1e-8 and equalNaN false, for
// which NaN is close to nothing. It panics as Add does, with ErrRuntime if the
// dtypes differ, and with ErrValue for a negative tolerance. Follows
// torch.isclose.
func (t *Tensor) IsClose(other *Tensor, rtol, atol float64, equalNaN bool) *Tensor {
	return binary("IsClose(self, other)", func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.Isclose(cx, a, b, rtol, atol, equalNaN)
	}, t, other)
}

// AllClose reports whether IsClose holds for every element. Panics are those of
// IsClose. Follows torch.allclose.
func (t *Tensor) AllClose(other *Tensor, rtol, atol float64, equalNaN bool) bool {
	const op = "AllClose(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	same, st := aten.Allclose(r.Ctx, a, b, rtol, atol, equalNaN)
	r.Status(st, t, other)
	return same
}

// Equal reports whether both tensors have the same shape and equal elements;
// NaN is equal to nothing. It panics with ErrDevice for tensors on different
// devices. Follows torch.equal.
func (t *Tensor) Equal(other *Tensor) bool {
	const op = "Equal(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op)
	same, st := aten.Equal(r.Ctx, a, b)
	r.Status(st, t, other)
	return same
}
