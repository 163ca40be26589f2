package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

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
