package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Neg returns -t in a new tensor. It panics with ErrNil or ErrClosed for an
// unusable tensor, as every method does, and with ErrDType for bools. Follows
// torch.neg.
func (t *Tensor) Neg() *Tensor { return unary("Neg(self)", aten.Neg, t) }

// Abs returns the absolute value; for complex numbers the magnitude, as a real
// tensor. Follows torch.abs.
func (t *Tensor) Abs() *Tensor { return unary("Abs(self)", aten.Abs, t) }

// Sign returns -1, 0 or 1, in t's dtype. It panics with ErrDType for complex
// numbers; see Sgn. Follows torch.sign.
func (t *Tensor) Sign() *Tensor { return unary("Sign(self)", aten.Sign, t) }

// Sgn is Sign that also takes complex numbers: t / abs(t), and 0 for 0. Follows
// torch.sgn.
func (t *Tensor) Sgn() *Tensor { return unary("Sgn(self)", aten.Sgn, t) }

// Signbit returns a Bool tensor: true where the sign bit is set, so for -0.0
// too. Follows torch.signbit.
func (t *Tensor) Signbit() *Tensor { return unary("Signbit(self)", aten.Signbit, t) }

// Exp returns e to the power of t. As every function of this group it turns
// integers and bools into the default float type, and broadcasts nothing: the
// result has t's shape. Follows torch.exp.
func (t *Tensor) Exp() *Tensor { return unary("Exp(self)", aten.Exp, t) }

// Exp2 returns 2 to the power of t. Follows torch.exp2.
func (t *Tensor) Exp2() *Tensor { return unary("Exp2(self)", aten.Exp2, t) }

// Expm1 returns exp(t) - 1, exact for small t. Follows torch.expm1.
func (t *Tensor) Expm1() *Tensor { return unary("Expm1(self)", aten.Expm1, t) }

// Log returns the natural logarithm, NaN for negative numbers. Follows
// torch.log.
func (t *Tensor) Log() *Tensor { return unary("Log(self)", aten.Log, t) }

// Log2 returns the logarithm to base 2. Follows torch.log2.
func (t *Tensor) Log2() *Tensor { return unary("Log2(self)", aten.Log2, t) }

// Log10 returns the logarithm to base 10. Follows torch.log10.
func (t *Tensor) Log10() *Tensor { return unary("Log10(self)", aten.Log10, t) }

// Log1p returns log(1 + t), exact for small t. Follows torch.log1p.
func (t *Tensor) Log1p() *Tensor { return unary("Log1p(self)", aten.Log1p, t) }

// Sqrt returns the square root, NaN for negative numbers. Follows torch.sqrt.
func (t *Tensor) Sqrt() *Tensor { return unary("Sqrt(self)", aten.Sqrt, t) }

// Rsqrt returns 1 / sqrt(t). Follows torch.rsqrt.
func (t *Tensor) Rsqrt() *Tensor { return unary("Rsqrt(self)", aten.Rsqrt, t) }

// Square returns t * t, in t's dtype. Follows torch.square.
func (t *Tensor) Square() *Tensor { return unary("Square(self)", aten.Square, t) }

// Reciprocal returns 1 / t. Follows torch.reciprocal.
func (t *Tensor) Reciprocal() *Tensor { return unary("Reciprocal(self)", aten.Reciprocal, t) }

// Sin returns the sine of an angle in radians. Follows torch.sin.
func (t *Tensor) Sin() *Tensor { return unary("Sin(self)", aten.Sin, t) }

// Cos returns the cosine of an angle in radians. Follows torch.cos.
func (t *Tensor) Cos() *Tensor { return unary("Cos(self)", aten.Cos, t) }

// Tan returns the tangent of an angle in radians. Follows torch.tan.
func (t *Tensor) Tan() *Tensor { return unary("Tan(self)", aten.Tan, t) }

// Asin returns the arc sine, NaN outside [-1, 1]. Follows torch.asin.
func (t *Tensor) Asin() *Tensor { return unary("Asin(self)", aten.Asin, t) }

// Acos returns the arc cosine, NaN outside [-1, 1]. Follows torch.acos.
func (t *Tensor) Acos() *Tensor { return unary("Acos(self)", aten.Acos, t) }

// Atan returns the arc tangent; see Atan2 for the angle of a point. Follows
// torch.atan.
func (t *Tensor) Atan() *Tensor { return unary("Atan(self)", aten.Atan, t) }

// Sinh returns the hyperbolic sine. Follows torch.sinh.
func (t *Tensor) Sinh() *Tensor { return unary("Sinh(self)", aten.Sinh, t) }

// Cosh returns the hyperbolic cosine. Follows torch.cosh.
func (t *Tensor) Cosh() *Tensor { return unary("Cosh(self)", aten.Cosh, t) }

// Tanh returns the hyperbolic tangent. Follows torch.tanh.
func (t *Tensor) Tanh() *Tensor { return unary("Tanh(self)", aten.Tanh, t) }

// Asinh returns the inverse hyperbolic sine. Follows torch.asinh.
func (t *Tensor) Asinh() *Tensor { return unary("Asinh(self)", aten.Asinh, t) }

// Acosh returns the inverse hyperbolic cosine, NaN below 1. Follows
// torch.acosh.
func (t *Tensor) Acosh() *Tensor { return unary("Acosh(self)", aten.Acosh, t) }

// Atanh returns the inverse hyperbolic tangent, NaN outside [-1, 1]. Follows
// torch.atanh.
func (t *Tensor) Atanh() *Tensor { return unary("Atanh(self)", aten.Atanh, t) }

// Sinc returns sin(pi t) / (pi t), and 1 for 0. Follows torch.sinc.
func (t *Tensor) Sinc() *Tensor { return unary("Sinc(self)", aten.Sinc, t) }

// Deg2rad returns degrees as radians. Follows torch.deg2rad.
func (t *Tensor) Deg2rad() *Tensor { return unary("Deg2rad(self)", aten.Deg2rad, t) }

// Rad2deg returns radians as degrees. Follows torch.rad2deg.
func (t *Tensor) Rad2deg() *Tensor { return unary("Rad2deg(self)", aten.Rad2deg, t) }

// Erf returns the error function. Follows torch.erf.
func (t *Tensor) Erf() *Tensor { return unary("Erf(self)", aten.Erf, t) }

// Erfc returns 1 - erf(t). Follows torch.erfc.
func (t *Tensor) Erfc() *Tensor { return unary("Erfc(self)", aten.Erfc, t) }

// Erfinv returns the inverse of the error function on (-1, 1). Follows
// torch.erfinv.
func (t *Tensor) Erfinv() *Tensor { return unary("Erfinv(self)", aten.Erfinv, t) }

// Lgamma returns the logarithm of the absolute value of the gamma function.
// Follows torch.lgamma.
func (t *Tensor) Lgamma() *Tensor { return unary("Lgamma(self)", aten.Lgamma, t) }

// Digamma returns the derivative of the logarithm of the gamma function.
// Follows torch.digamma.
func (t *Tensor) Digamma() *Tensor { return unary("Digamma(self)", aten.Digamma, t) }

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

// I0 returns the modified Bessel function of the first kind, of order 0.
// Follows torch.i0.
func (t *Tensor) I0() *Tensor { return unary("I0(self)", aten.I0, t) }

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

// Ceil rounds up; integers stay as they are. As the other functions that round
// it keeps the dtype, has a gradient of 0, and panics with ErrDType for complex
// numbers. Follows torch.ceil.
func (t *Tensor) Ceil() *Tensor { return unary("Ceil(self)", aten.Ceil, t) }

// Floor returns t rounded down; integers stay as they are. Follows torch.floor.
func (t *Tensor) Floor() *Tensor { return unary("Floor(self)", aten.Floor, t) }

// Round returns t rounded to the nearest whole number, halves to the even one.
// Follows torch.round.
func (t *Tensor) Round() *Tensor { return unary("Round(self)", aten.Round, t) }

// RoundDecimals rounds to decimals places after the point; a negative number
// rounds before it. Follows torch.round(..., decimals=decimals).
func (t *Tensor) RoundDecimals(decimals int64) *Tensor {
	return unary("RoundDecimals(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.RoundDecimals(cx, h, decimals) }, t)
}

// Trunc returns t rounded towards zero. Follows torch.trunc.
func (t *Tensor) Trunc() *Tensor { return unary("Trunc(self)", aten.Trunc, t) }

// Frac returns t - trunc(t), with the sign of t. It panics with ErrDType for
// integers. Follows torch.frac.
func (t *Tensor) Frac() *Tensor { return unary("Frac(self)", aten.Frac, t) }

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
