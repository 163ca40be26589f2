package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// IsIn returns a Bool tensor of t's shape that is true where the element occurs
// in test. It panics with ErrDType for complex numbers and bools.
// Follows torch.isin.
func (t *Tensor) IsIn(test *Tensor) *Tensor {
	return binary("IsIn(self, test)", func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.IsinTensorTensor(cx, a, b, false, false)
	}, t, test)
}

// IsClose returns a Bool tensor that is true where |t - other| <= atol + rtol *
// |other|, with [RTol] (default 1e-5) and [ATol] (default 1e-8). NaN is close
// to NaN only with [EqualNaN]. It panics as Add does, with ErrRuntime if the
// dtypes differ, and with ErrValue for a negative tolerance.
// Follows torch.isclose.
//
//	x.IsClose(y, torch.RTol(1e-3), torch.EqualNaN(true))
func (t *Tensor) IsClose(other *Tensor, opts ...CloseOption) *Tensor {
	const op = "IsClose(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	rtol, atol, equalNaN := readClose(op, opts)
	r := BeginRaw(op, t, other)
	return r.Tensor(aten.Isclose(r.Ctx, a, b, rtol, atol, equalNaN))
}

// AllClose reports whether [Tensor.IsClose] is true for every element. It
// panics as IsClose does. Follows torch.allclose.
func (t *Tensor) AllClose(other *Tensor, opts ...CloseOption) bool {
	const op = "AllClose(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	rtol, atol, equalNaN := readClose(op, opts)
	r := BeginRaw(op, t, other)
	same, st := aten.Allclose(r.Ctx, a, b, rtol, atol, equalNaN)
	r.Status(st)
	return same
}

// Equal reports whether both tensors have the same shape and equal elements.
// NaN equals nothing. It panics with ErrDevice for tensors on different
// devices. Follows torch.equal.
func (t *Tensor) Equal(other *Tensor) bool {
	const op = "Equal(self, other)"
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	same, st := aten.Equal(r.Ctx, a, b)
	r.Status(st)
	return same
}
