package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Polygamma returns the n-th derivative of Digamma. It panics with ErrValue for
// a negative n, and with ErrDType for complex numbers. Follows torch.polygamma.
func (t *Tensor) Polygamma(n int64) *Tensor {
	return unary("Polygamma(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Polygamma(cx, n, h) }, t)
}

// Polygamma_ is the in-place form of Polygamma. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as Polygamma does, with ErrDType if
// the result does not fit t's dtype, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows Tensor.polygamma_.
func (t *Tensor) Polygamma_(n int64) *Tensor {
	return unaryInPlace("Polygamma_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Polygamma_(cx, h, n)
	}, t)
}

// Mvlgamma returns the logarithm of the multivariate gamma function of
// dimension p, for elements above (p-1)/2. It panics with ErrValue for a p
// below 1, and with ErrDType for complex numbers. Follows torch.mvlgamma.
func (t *Tensor) Mvlgamma(p int64) *Tensor {
	return unary("Mvlgamma(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Mvlgamma(cx, h, p) }, t)
}

// Mvlgamma_ is the in-place form of Mvlgamma. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as Mvlgamma does, with ErrDType if
// the result does not fit t's dtype, and with ErrAutograd for a leaf that
// requires gradients, outside NoGrad. Follows Tensor.mvlgamma_.
func (t *Tensor) Mvlgamma_(p int64) *Tensor {
	return unaryInPlace("Mvlgamma_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Mvlgamma_(cx, h, p)
	}, t)
}

// Logit returns log(t / (1 - t)), the inverse of Sigmoid; NaN outside [0, 1].
// With [Eps] t is first clamped to [eps, 1-eps]. Integers become the default
// float type. It panics with ErrDType for complex numbers. Follows torch.logit.
func (t *Tensor) Logit(opts ...LogitOption) *Tensor {
	const op = "Logit(self)"
	h, eps := t.handle(op, 0), readLogit(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Logit(r.Ctx, h, eps.pointer()))
}

// Logit_ is the in-place form of Logit. It modifies t, which keeps its shape
// and dtype, and returns t. It panics as Logit does, with ErrDType for
// integers, and with ErrAutograd for a leaf that requires gradients, outside
// NoGrad. Follows Tensor.logit_.
func (t *Tensor) Logit_(opts ...LogitOption) *Tensor {
	const op = "Logit_(self)"
	eps := readLogit(op, opts)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Logit_(cx, h, eps.pointer()) }, t)
}

// Round returns t rounded to the nearest integer, with halves rounded to even,
// or to [Decimals] digits after the decimal point. It panics with ErrDType for
// bools and complex numbers, and for integers with Decimals.
// Follows torch.round.
func (t *Tensor) Round(opts ...RoundOption) *Tensor {
	const op = "Round(self)"
	h := t.handle(op, 0)
	decimals, given := readRound(op, opts)
	r := BeginRaw(op, t)
	if given {
		return r.Tensor(aten.RoundDecimals(r.Ctx, h, decimals))
	}
	return r.Tensor(aten.Round(r.Ctx, h))
}

// Round_ is the in-place form of Round. It modifies t, which keeps its shape
// and dtype, and returns t. It panics as Round does, and with ErrAutograd for a
// leaf that requires gradients, outside NoGrad. Follows Tensor.round_.
func (t *Tensor) Round_(opts ...RoundOption) *Tensor {
	const op = "Round_(self)"
	decimals, given := readRound(op, opts)
	if given {
		return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
			return aten.Round_Decimals(cx, h, decimals)
		}, t)
	}
	return unaryInPlace(op, aten.Round_, t)
}

// NaNToNum returns t with NaN and infinities replaced by numbers: [NaN]
// (default 0), [PosInf] (default the dtype's largest number) and [NegInf]
// (default its lowest). Follows torch.nan_to_num.
func (t *Tensor) NaNToNum(opts ...NaNToNumOption) *Tensor {
	const op = "NaNToNum(self)"
	h, v := t.handle(op, 0), readNaNToNum(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.NanToNum(r.Ctx, h, v.nan.pointer(), v.posInf.pointer(), v.negInf.pointer()))
}

// NaNToNum_ is the in-place form of NaNToNum. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as NaNToNum does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows Tensor.nan_to_num_.
func (t *Tensor) NaNToNum_(opts ...NaNToNumOption) *Tensor {
	const op = "NaNToNum_(self)"
	v := readNaNToNum(op, opts)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.NanToNum_(cx, h, v.nan.pointer(), v.posInf.pointer(), v.negInf.pointer())
	}, t)
}
