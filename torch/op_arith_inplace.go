package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// In-place operators modify their receiver and return it, so calls can be
// chained. The receiver keeps its shape and dtype; an operator whose result
// does not fit panics with ErrShape or ErrDType. A leaf that requires gradients
// may be modified only inside NoGrad (ErrAutograd). Modifying a tensor that an
// earlier operator saved for its gradient makes Backward panic with
// ErrAutograd.

// Add_ adds other, times [Alpha] if given, to t in place and returns t. It
// panics as Add does, with ErrDType if the result does not fit t's dtype, with
// ErrShape if the result does not fit t's shape, and with ErrAutograd for a
// leaf that requires gradients, outside NoGrad. Follows Tensor.add_.
func (t *Tensor) Add_(other *Tensor, opts ...AddOption) *Tensor {
	const op = "Add_(self, other)"
	if len(opts) > 0 {
		return scaledInPlace(op, aten.Add_Tensor, t, other, opts)
	}
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	st := aten.Add_Tensor(r.Ctx, a, b, one)
	if r.again(st) {
		st = aten.Add_Tensor(r.Ctx, a, b, one)
	}
	r.Status(st)
	return t
}

// scaledInPlace is Add_ or Sub_ with options. It is a separate function because
// a call without options is faster if it copies no factor.
func scaledInPlace(op string, f func(abi.Ctx, abi.Tensor, abi.Tensor, abi.Scalar) abi.Status, t, other *Tensor,
	opts []AddOption,
) *Tensor {
	alpha := readAlpha(op, opts)
	return binaryInPlace(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Status { return f(cx, a, b, alpha) }, t, other)
}

// AddScalar_ adds a number, times [Alpha] if one is given, to t in place and
// returns t. It panics as AddScalar does, with ErrDType if the result does not
// fit t's dtype, and with ErrAutograd for a leaf that requires gradients,
// outside NoGrad. Follows Tensor.add_.
func (t *Tensor) AddScalar_(other any, opts ...AddOption) *Tensor {
	const op = "AddScalar_(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	st := aten.Add_Scalar(r.Ctx, h, v, alpha)
	if r.again(st) {
		st = aten.Add_Scalar(r.Ctx, h, v, alpha)
	}
	r.Status(st)
	return t
}

// MulScalar_ is the in-place form of MulScalar. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as MulScalar does, with ErrDType if
// the result does not fit t's dtype, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows Tensor.mul_.
func (t *Tensor) MulScalar_(other any) *Tensor {
	const op = "MulScalar_(self)"
	h, v := t.handle(op, 0), scalarArg(op, "other", other)
	if d := t.dtype(op); (d == Float16 || d == BFloat16) && v.Kind != abi.ScalarComplex {
		return t.mulRounded(op, other)
	}
	r := BeginRaw(op, t)
	st := aten.Mul_Scalar(r.Ctx, h, v)
	if r.again(st) {
		st = aten.Mul_Scalar(r.Ctx, h, v)
	}
	r.Status(st)
	return t
}

// mulRounded is MulScalar_ for 16-bit floats. libtorch's kernel for tensor and
// number rounds the number to 16 bits. Python calls the operator for two
// tensors instead, which keeps the number exact.
func (t *Tensor) mulRounded(op string, other any) *Tensor {
	wide := Float64
	if t.Dim() == 0 {
		wide = Float32 // libtorch then multiplies the two scalars in Float32
	}
	n := Full(Shape{}, other, wide, CPU)
	defer func() { _ = n.Close() }()
	return binaryInPlace(op, aten.Mul_Tensor, t, n)
}

// MultiplyScalar_ is an alias of MulScalar_. It modifies t in place and returns
// t. It panics as [Tensor.MulScalar_] does. Follows Tensor.multiply_.
func (t *Tensor) MultiplyScalar_(other any) *Tensor { return t.MulScalar_(other) }

// Sub_ subtracts other, times [Alpha] if one is given, from t in place and
// returns t. It panics as Sub does, with ErrDType if the result does not fit
// t's dtype, with ErrShape if the result does not fit t's shape, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.sub_.
func (t *Tensor) Sub_(other *Tensor, opts ...AddOption) *Tensor {
	const op = "Sub_(self, other)"
	if len(opts) > 0 {
		return scaledInPlace(op, aten.Sub_Tensor, t, other, opts)
	}
	a, b := t.handle(op, 0), other.handle(op, 1)
	r := BeginRaw(op, t, other)
	st := aten.Sub_Tensor(r.Ctx, a, b, one)
	if r.again(st) {
		st = aten.Sub_Tensor(r.Ctx, a, b, one)
	}
	r.Status(st)
	return t
}

// SubScalar_ subtracts a number, times [Alpha] if one is given, from t in place
// and returns t. It panics as SubScalar does, with ErrDType if the result does
// not fit t's dtype, and with ErrAutograd for a leaf that requires gradients,
// outside NoGrad. Follows Tensor.sub_.
func (t *Tensor) SubScalar_(other any, opts ...AddOption) *Tensor {
	const op = "SubScalar_(self)"
	h, v, alpha := t.handle(op, 0), scalarArg(op, "other", other), readAdd(op, opts)
	r := BeginRaw(op, t)
	st := aten.Sub_Scalar(r.Ctx, h, v, alpha)
	if r.again(st) {
		st = aten.Sub_Scalar(r.Ctx, h, v, alpha)
	}
	r.Status(st)
	return t
}

// Div_ divides t by other in place and returns t. It panics as Div does, with
// ErrDType for an integer t without a [RoundingMode], with ErrShape if the
// result does not fit t's shape, and with ErrAutograd for a leaf that requires
// gradients, outside NoGrad. Follows Tensor.div_.
func (t *Tensor) Div_(other *Tensor, opts ...DivOption) *Tensor {
	const op = "Div_(self, other)"
	mode := readDiv(op, opts)
	if mode == nil {
		return binaryInPlace(op, aten.Div_Tensor, t, other)
	}
	return binaryInPlace(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Status {
		return aten.Div_TensorMode(cx, a, b, mode)
	}, t, other)
}

// DivScalar_ divides t by a number in place and returns t. It takes the options of Div_.
// It panics as DivScalar does, with ErrDType for an integer t without a [RoundingMode],
// and with ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.div_.
func (t *Tensor) DivScalar_(other any, opts ...DivOption) *Tensor {
	const op = "DivScalar_(self)"
	mode := readDiv(op, opts)
	if mode == nil {
		return scalarInPlace(op, aten.Div_Scalar, t, "other", other)
	}
	return scalarInPlace(op, func(cx abi.Ctx, a abi.Tensor, v abi.Scalar) abi.Status {
		return aten.Div_ScalarMode(cx, a, v, mode)
	}, t, "other", other)
}

// Addcmul_ is the in-place form of Addcmul. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as Addcmul does, with ErrDType if
// the result does not fit t's dtype, with ErrShape if the result does not fit
// t's shape, and with ErrAutograd for a leaf that requires gradients, outside
// NoGrad. Follows Tensor.addcmul_.
func (t *Tensor) Addcmul_(tensor1, tensor2 *Tensor, opts ...AddcmulOption) *Tensor {
	const op = "Addcmul_(self, tensor1, tensor2)"
	v := readAddcmul(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Status {
		return aten.Addcmul_(cx, a, b, c, v)
	}, t, tensor1, tensor2)
}

// Addcdiv_ is the in-place form of Addcdiv. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as Addcdiv does, with ErrDType if
// the result does not fit t's dtype, with ErrShape if the result does not fit
// t's shape, and with ErrAutograd for a leaf that requires gradients, outside
// NoGrad. Follows Tensor.addcdiv_.
func (t *Tensor) Addcdiv_(tensor1, tensor2 *Tensor, opts ...AddcmulOption) *Tensor {
	const op = "Addcdiv_(self, tensor1, tensor2)"
	v := readAddcmul(op, opts)
	return ternaryInPlace(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Status {
		return aten.Addcdiv_(cx, a, b, c, v)
	}, t, tensor1, tensor2)
}

// LerpScalar_ is the in-place form of LerpScalar. It modifies t, which keeps
// its shape and dtype, and returns t. It panics as LerpScalar does, with
// ErrShape if the result does not fit t's shape, and with ErrAutograd for a
// leaf that requires gradients, outside NoGrad. Follows Tensor.lerp_.
func (t *Tensor) LerpScalar_(end *Tensor, weight any) *Tensor {
	const op = "LerpScalar_(self, end)"
	a, b, v := t.handle(op, 0), end.handle(op, 1), scalarArg(op, "weight", weight)
	r := BeginRaw(op, t, end)
	r.Status(aten.Lerp_Scalar(r.Ctx, a, b, v))
	return t
}
