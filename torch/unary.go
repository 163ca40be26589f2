package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Polygamma returns the n-th derivative of Digamma. It panics with ErrValue
// for a negative n. Follows torch.polygamma.
func (t *Tensor) Polygamma(n int64) *Tensor {
	return unary("Polygamma(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Polygamma(cx, n, h) }, t)
}

// Mvlgamma returns the logarithm of the multivariate gamma function of
// dimension p, for elements above (p-1)/2. It panics with ErrValue for a p
// below 1. Follows torch.mvlgamma.
func (t *Tensor) Mvlgamma(p int64) *Tensor {
	return unary("Mvlgamma(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Mvlgamma(cx, h, p) }, t)
}

// Logit returns log(t / (1 - t)), the inverse of Sigmoid; NaN outside [0, 1].
// Follows torch.logit.
func (t *Tensor) Logit() *Tensor {
	return unary("Logit(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Logit(cx, h, nil) }, t)
}

// LogitEps is Logit of t clamped to [eps, 1-eps] first. Follows
// torch.logit(..., eps=eps).
func (t *Tensor) LogitEps(eps float64) *Tensor {
	return unary("LogitEps(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Logit(cx, h, &eps) }, t)
}

// Round returns t rounded to the nearest whole number, halves to the even one.
// Follows torch.round.
func (t *Tensor) Round() *Tensor { return unary("Round(self)", aten.Round, t) }

// RoundDecimals rounds to decimals places after the point; a negative number
// rounds before it. Follows torch.round(..., decimals=decimals).
func (t *Tensor) RoundDecimals(decimals int64) *Tensor {
	return unary("RoundDecimals(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.RoundDecimals(cx, h, decimals) }, t)
}

// NaNToNumOptions are the replacements of [Tensor.NaNToNum]. A nil field means
// PyTorch's default.
type NaNToNumOptions struct {
	NaN    *float64 // for NaN; nil: 0
	PosInf *float64 // for plus infinity; nil: the largest number of the dtype
	NegInf *float64 // for minus infinity; nil: the lowest number of the dtype
}

// NaNToNum returns t with NaN and the infinities replaced by numbers. Follows
// torch.nan_to_num.
func (t *Tensor) NaNToNum(o NaNToNumOptions) *Tensor {
	return unary("NaNToNum(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.NanToNum(cx, h, o.NaN, o.PosInf, o.NegInf)
	}, t)
}

// Round_ is Round in place; it returns t. Follows Tensor.round_.
func (t *Tensor) Round_() *Tensor { return unaryInPlace("Round_(self)", aten.Round_, t) }

// NaNToNum_ is NaNToNum in place; it returns t. Follows Tensor.nan_to_num_.
func (t *Tensor) NaNToNum_(o NaNToNumOptions) *Tensor {
	return unaryInPlace("NaNToNum_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.NanToNum_(cx, h, o.NaN, o.PosInf, o.NegInf)
	}, t)
}
