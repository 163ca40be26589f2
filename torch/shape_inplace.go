package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The functions in this file change t's shape or elements in place. All return t.

// Squeeze_ is the in-place form of Squeeze. It changes t's shape, not its
// elements, and returns t. It panics as Squeeze does, and with ErrAutograd for
// a leaf that requires gradients, outside NoGrad. Follows Tensor.squeeze_.
func (t *Tensor) Squeeze_(dims ...int64) *Tensor {
	if len(dims) == 0 {
		return unaryInPlace("Squeeze_(self)", aten.Squeeze_, t)
	}
	return squeezeInPlace(t, dims)
}

// Unsqueeze_ is the in-place form of Unsqueeze. It changes t's shape, not its
// elements, and returns t. It panics as Unsqueeze does, and with ErrAutograd
// for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.unsqueeze_.
func (t *Tensor) Unsqueeze_(dim int64) *Tensor {
	return unaryInPlace("Unsqueeze_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Unsqueeze_(cx, h, dim)
	}, t)
}

// Transpose_ is the in-place form of Transpose. It changes t's shape, not its
// elements, and returns t. It panics as Transpose does, and with ErrAutograd
// for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.transpose_.
func (t *Tensor) Transpose_(dim0, dim1 int64) *Tensor {
	return unaryInPlace("Transpose_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Transpose_(cx, h, dim0, dim1)
	}, t)
}

// T_ is the in-place form of T. It changes t's shape, not its elements, and
// returns t. It panics as T does, and with ErrAutograd for a leaf that requires
// gradients, outside NoGrad. Follows Tensor.t_.
func (t *Tensor) T_() *Tensor { return unaryInPlace("T_(self)", aten.T_, t) }

// Tril_ sets the elements above a diagonal to 0 in place and returns t. It
// panics as Tril does, and with ErrAutograd for a leaf that requires gradients,
// outside NoGrad. Follows Tensor.tril_.
func (t *Tensor) Tril_(diagonal ...Diagonal) *Tensor {
	k := int64(lastOf(diagonal, 0))
	return unaryInPlace("Tril_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Tril_(cx, h, k)
	}, t)
}

// Triu_ sets the elements below a diagonal to 0 in place and returns t. It
// panics as Triu does, and with ErrAutograd for a leaf that requires gradients,
// outside NoGrad. Follows Tensor.triu_.
func (t *Tensor) Triu_(diagonal ...Diagonal) *Tensor {
	k := int64(lastOf(diagonal, 0))
	return unaryInPlace("Triu_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Triu_(cx, h, k)
	}, t)
}

// CumSum_ replaces the elements by their running sums along dim, in place, and
// returns t. It panics as CumSum does, with ErrDType if the result does not fit
// t's dtype, and with ErrAutograd for a leaf that requires gradients, outside
// NoGrad. Follows Tensor.cumsum_.
func (t *Tensor) CumSum_(dim int64) *Tensor {
	return unaryInPlace("CumSum_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Cumsum_(cx, h, dim, -1)
	}, t)
}

// CumProd_ replaces the elements by their running products along dim, in place,
// and returns t. It panics as CumProd does, with ErrDType if the result does
// not fit t's dtype, and with ErrAutograd for a leaf that requires gradients,
// outside NoGrad. Follows Tensor.cumprod_.
func (t *Tensor) CumProd_(dim int64) *Tensor {
	return unaryInPlace("CumProd_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Cumprod_(cx, h, dim, -1)
	}, t)
}
