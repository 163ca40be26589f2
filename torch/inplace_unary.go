package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The operators of one tensor in place. What inplace.go says holds here; for
// integers most panic with ErrDType, since their result is floating point.

// Neg_ is Neg in place; it returns t. Follows Tensor.neg_.
func (t *Tensor) Neg_() *Tensor { return unaryInPlace("Neg_(self)", aten.Neg_, t) }

// Abs_ is Abs in place; it returns t. Follows Tensor.abs_.
func (t *Tensor) Abs_() *Tensor { return unaryInPlace("Abs_(self)", aten.Abs_, t) }

// Sign_ is Sign in place; it returns t. Follows Tensor.sign_.
func (t *Tensor) Sign_() *Tensor { return unaryInPlace("Sign_(self)", aten.Sign_, t) }

// Sgn_ is Sgn in place; it returns t. Follows Tensor.sgn_.
func (t *Tensor) Sgn_() *Tensor { return unaryInPlace("Sgn_(self)", aten.Sgn_, t) }

// Exp_ is Exp in place; it returns t. Follows Tensor.exp_.
func (t *Tensor) Exp_() *Tensor { return unaryInPlace("Exp_(self)", aten.Exp_, t) }

// Exp2_ is Exp2 in place; it returns t. Follows Tensor.exp2_.
func (t *Tensor) Exp2_() *Tensor { return unaryInPlace("Exp2_(self)", aten.Exp2_, t) }

// Expm1_ is Expm1 in place; it returns t. Follows Tensor.expm1_.
func (t *Tensor) Expm1_() *Tensor { return unaryInPlace("Expm1_(self)", aten.Expm1_, t) }

// Log_ is Log in place; it returns t. Follows Tensor.log_.
func (t *Tensor) Log_() *Tensor { return unaryInPlace("Log_(self)", aten.Log_, t) }

// Log2_ is Log2 in place; it returns t. Follows Tensor.log2_.
func (t *Tensor) Log2_() *Tensor { return unaryInPlace("Log2_(self)", aten.Log2_, t) }

// Log10_ is Log10 in place; it returns t. Follows Tensor.log10_.
func (t *Tensor) Log10_() *Tensor { return unaryInPlace("Log10_(self)", aten.Log10_, t) }

// Log1p_ is Log1p in place; it returns t. Follows Tensor.log1p_.
func (t *Tensor) Log1p_() *Tensor { return unaryInPlace("Log1p_(self)", aten.Log1p_, t) }

// Sqrt_ is Sqrt in place; it returns t. Follows Tensor.sqrt_.
func (t *Tensor) Sqrt_() *Tensor { return unaryInPlace("Sqrt_(self)", aten.Sqrt_, t) }

// Rsqrt_ is Rsqrt in place; it returns t. Follows Tensor.rsqrt_.
func (t *Tensor) Rsqrt_() *Tensor { return unaryInPlace("Rsqrt_(self)", aten.Rsqrt_, t) }

// Square_ is Square in place; it returns t. Follows Tensor.square_.
func (t *Tensor) Square_() *Tensor { return unaryInPlace("Square_(self)", aten.Square_, t) }

// Reciprocal_ is Reciprocal in place; it returns t. Follows Tensor.reciprocal_.
func (t *Tensor) Reciprocal_() *Tensor { return unaryInPlace("Reciprocal_(self)", aten.Reciprocal_, t) }

// Sin_ is Sin in place; it returns t. Follows Tensor.sin_.
func (t *Tensor) Sin_() *Tensor { return unaryInPlace("Sin_(self)", aten.Sin_, t) }

// Cos_ is Cos in place; it returns t. Follows Tensor.cos_.
func (t *Tensor) Cos_() *Tensor { return unaryInPlace("Cos_(self)", aten.Cos_, t) }

// Tan_ is Tan in place; it returns t. Follows Tensor.tan_.
func (t *Tensor) Tan_() *Tensor { return unaryInPlace("Tan_(self)", aten.Tan_, t) }

// Asin_ is Asin in place; it returns t. Follows Tensor.asin_.
func (t *Tensor) Asin_() *Tensor { return unaryInPlace("Asin_(self)", aten.Asin_, t) }

// Acos_ is Acos in place; it returns t. Follows Tensor.acos_.
func (t *Tensor) Acos_() *Tensor { return unaryInPlace("Acos_(self)", aten.Acos_, t) }

// Atan_ is Atan in place; it returns t. Follows Tensor.atan_.
func (t *Tensor) Atan_() *Tensor { return unaryInPlace("Atan_(self)", aten.Atan_, t) }

// Sinh_ is Sinh in place; it returns t. Follows Tensor.sinh_.
func (t *Tensor) Sinh_() *Tensor { return unaryInPlace("Sinh_(self)", aten.Sinh_, t) }

// Cosh_ is Cosh in place; it returns t. Follows Tensor.cosh_.
func (t *Tensor) Cosh_() *Tensor { return unaryInPlace("Cosh_(self)", aten.Cosh_, t) }

// Tanh_ is Tanh in place; it returns t. Follows Tensor.tanh_.
func (t *Tensor) Tanh_() *Tensor { return unaryInPlace("Tanh_(self)", aten.Tanh_, t) }

// Asinh_ is Asinh in place; it returns t. Follows Tensor.asinh_.
func (t *Tensor) Asinh_() *Tensor { return unaryInPlace("Asinh_(self)", aten.Asinh_, t) }

// Acosh_ is Acosh in place; it returns t. Follows Tensor.acosh_.
func (t *Tensor) Acosh_() *Tensor { return unaryInPlace("Acosh_(self)", aten.Acosh_, t) }

// Atanh_ is Atanh in place; it returns t. Follows Tensor.atanh_.
func (t *Tensor) Atanh_() *Tensor { return unaryInPlace("Atanh_(self)", aten.Atanh_, t) }

// Erf_ is Erf in place; it returns t. Follows Tensor.erf_.
func (t *Tensor) Erf_() *Tensor { return unaryInPlace("Erf_(self)", aten.Erf_, t) }

// Erfc_ is Erfc in place; it returns t. Follows Tensor.erfc_.
func (t *Tensor) Erfc_() *Tensor { return unaryInPlace("Erfc_(self)", aten.Erfc_, t) }

// Erfinv_ is Erfinv in place; it returns t. Follows Tensor.erfinv_.
func (t *Tensor) Erfinv_() *Tensor { return unaryInPlace("Erfinv_(self)", aten.Erfinv_, t) }

// Lgamma_ is Lgamma in place; it returns t. Follows Tensor.lgamma_.
func (t *Tensor) Lgamma_() *Tensor { return unaryInPlace("Lgamma_(self)", aten.Lgamma_, t) }

// Digamma_ is Digamma in place; it returns t. Follows Tensor.digamma_.
func (t *Tensor) Digamma_() *Tensor { return unaryInPlace("Digamma_(self)", aten.Digamma_, t) }

// Sigmoid_ is Sigmoid in place; it returns t. Follows Tensor.sigmoid_.
func (t *Tensor) Sigmoid_() *Tensor { return unaryInPlace("Sigmoid_(self)", aten.Sigmoid_, t) }

// Ceil_ is Ceil in place; it returns t. Follows Tensor.ceil_.
func (t *Tensor) Ceil_() *Tensor { return unaryInPlace("Ceil_(self)", aten.Ceil_, t) }

// Floor_ is Floor in place; it returns t. Follows Tensor.floor_.
func (t *Tensor) Floor_() *Tensor { return unaryInPlace("Floor_(self)", aten.Floor_, t) }

// Round_ is Round in place; it returns t. Follows Tensor.round_.
func (t *Tensor) Round_() *Tensor { return unaryInPlace("Round_(self)", aten.Round_, t) }

// Trunc_ is Trunc in place; it returns t. Follows Tensor.trunc_.
func (t *Tensor) Trunc_() *Tensor { return unaryInPlace("Trunc_(self)", aten.Trunc_, t) }

// Frac_ is Frac in place; it returns t. Follows Tensor.frac_.
func (t *Tensor) Frac_() *Tensor { return unaryInPlace("Frac_(self)", aten.Frac_, t) }

// NaNToNum_ is NaNToNum in place; it returns t. Follows Tensor.nan_to_num_.
func (t *Tensor) NaNToNum_(o NaNToNumOptions) *Tensor {
	return unaryInPlace("NaNToNum_(self)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.NanToNum_(cx, h, o.NaN, o.PosInf, o.NegInf)
	}, t)
}
