package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// The out= variants write their result to dst, a tensor that exists already,
// and return dst. dst may be one of the arguments. If its shape is another it
// is resized, which libtorch warns about unless dst is empty; its dtype must be
// able to hold the result, else they panic with ErrDType. They record no
// gradients: an argument that requires them is an error outside NoGrad. Other
// panics are those of the operator without Out.

// AddOut writes a + b to dst and returns dst. Follows torch.add(..., out=dst).
func AddOut(dst, a, b *Tensor) *Tensor {
	const op = "AddOut(dst, self, other)"
	d, x, y := dst.handle(op, 0), a.handle(op, 1), b.handle(op, 2)
	r := BeginRaw(op)
	r.Status(aten.AddOut(r.Ctx, x, y, one, d), dst, a, b)
	return dst
}

// SubOut writes a - b to dst and returns dst. Follows torch.sub(..., out=dst).
func SubOut(dst, a, b *Tensor) *Tensor {
	const op = "SubOut(dst, self, other)"
	d, x, y := dst.handle(op, 0), a.handle(op, 1), b.handle(op, 2)
	r := BeginRaw(op)
	r.Status(aten.SubOut(r.Ctx, x, y, one, d), dst, a, b)
	return dst
}

// MulOut writes a * b to dst and returns dst. Follows torch.mul(..., out=dst).
func MulOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("MulOut(dst, self, other)", aten.MulOut, dst, a, b)
}

// DivOut writes a / b to dst and returns dst. Follows torch.div(..., out=dst).
func DivOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("DivOut(dst, self, other)", aten.DivOut, dst, a, b)
}

// MatMulOut writes the matrix product of a and b to dst and returns dst; dst
// may not be one of them. Follows torch.matmul(..., out=dst).
func MatMulOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("MatMulOut(dst, self, other)", aten.MatmulOut, dst, a, b)
}

// PowOut writes a raised to b to dst and returns dst. Follows torch.pow(...,
// out=dst).
func PowOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("PowOut(dst, self, other)", aten.PowTensorTensorOut, dst, a, b)
}

// RemainderOut writes Remainder of a and b to dst and returns dst. Follows
// torch.remainder(..., out=dst).
func RemainderOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("RemainderOut(dst, self, other)", aten.RemainderTensorOut, dst, a, b)
}

// FloorDivideOut writes a / b rounded down to dst and returns dst. Follows
// torch.floor_divide(..., out=dst).
func FloorDivideOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("FloorDivideOut(dst, self, other)", aten.FloorDivideOut, dst, a, b)
}

// MaximumOut writes the larger of each two elements to dst and returns dst.
// Follows torch.maximum(..., out=dst).
func MaximumOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("MaximumOut(dst, self, other)", aten.MaximumOut, dst, a, b)
}

// MinimumOut writes the smaller of each two elements to dst and returns dst.
// Follows torch.minimum(..., out=dst).
func MinimumOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("MinimumOut(dst, self, other)", aten.MinimumOut, dst, a, b)
}

// Atan2Out writes Atan2 of a and b to dst and returns dst. Follows
// torch.atan2(..., out=dst).
func Atan2Out(dst, a, b *Tensor) *Tensor {
	return binaryOut("Atan2Out(dst, self, other)", aten.Atan2Out, dst, a, b)
}

// HypotOut writes Hypot of a and b to dst and returns dst. Follows
// torch.hypot(..., out=dst).
func HypotOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("HypotOut(dst, self, other)", aten.HypotOut, dst, a, b)
}

// EqOut writes a == b to dst, of any dtype, and returns dst. Follows
// torch.eq(..., out=dst).
func EqOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("EqOut(dst, self, other)", aten.EqTensorOut, dst, a, b)
}

// NeOut writes a != b to dst, of any dtype, and returns dst. Follows
// torch.ne(..., out=dst).
func NeOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("NeOut(dst, self, other)", aten.NeTensorOut, dst, a, b)
}

// LtOut writes a < b to dst, of any dtype, and returns dst. Follows
// torch.lt(..., out=dst).
func LtOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("LtOut(dst, self, other)", aten.LtTensorOut, dst, a, b)
}

// LeOut writes a <= b to dst, of any dtype, and returns dst. Follows
// torch.le(..., out=dst).
func LeOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("LeOut(dst, self, other)", aten.LeTensorOut, dst, a, b)
}

// GtOut writes a > b to dst, of any dtype, and returns dst. Follows
// torch.gt(..., out=dst).
func GtOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("GtOut(dst, self, other)", aten.GtTensorOut, dst, a, b)
}

// GeOut writes a >= b to dst, of any dtype, and returns dst. Follows
// torch.ge(..., out=dst).
func GeOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("GeOut(dst, self, other)", aten.GeTensorOut, dst, a, b)
}

// LogicalAndOut writes LogicalAnd of a and b to dst, of any dtype, and returns
// dst. Follows torch.logical_and(..., out=dst).
func LogicalAndOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("LogicalAndOut(dst, self, other)", aten.LogicalAndOut, dst, a, b)
}

// LogicalOrOut writes LogicalOr of a and b to dst, of any dtype, and returns
// dst. Follows torch.logical_or(..., out=dst).
func LogicalOrOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("LogicalOrOut(dst, self, other)", aten.LogicalOrOut, dst, a, b)
}

// LogicalXorOut writes LogicalXor of a and b to dst, of any dtype, and returns
// dst. Follows torch.logical_xor(..., out=dst).
func LogicalXorOut(dst, a, b *Tensor) *Tensor {
	return binaryOut("LogicalXorOut(dst, self, other)", aten.LogicalXorOut, dst, a, b)
}

// AddScalarOut writes t + other for a number to dst and returns dst. Follows
// torch.add(..., out=dst).
func AddScalarOut(dst, t *Tensor, other any) *Tensor {
	const op = "AddScalarOut(dst, self)"
	d, h, v := dst.handle(op, 0), t.handle(op, 1), scalarArg(op, "other", other)
	r := BeginRaw(op)
	r.Status(aten.AddScalarOut(r.Ctx, h, v, one, d), dst, t)
	return dst
}

// SubScalarOut writes t - other for a number to dst and returns dst. Follows
// torch.sub(..., out=dst).
func SubScalarOut(dst, t *Tensor, other any) *Tensor {
	const op = "SubScalarOut(dst, self)"
	d, h, v := dst.handle(op, 0), t.handle(op, 1), scalarArg(op, "other", other)
	r := BeginRaw(op)
	r.Status(aten.SubScalarOut(r.Ctx, h, v, one, d), dst, t)
	return dst
}

// MulScalarOut writes t * other for a number to dst and returns dst. Follows
// torch.mul(..., out=dst).
func MulScalarOut(dst, t *Tensor, other any) *Tensor {
	const op = "MulScalarOut(dst, self)"
	d, h, v := dst.handle(op, 0), t.handle(op, 1), scalarArg(op, "other", other)
	r := BeginRaw(op)
	r.Status(aten.MulScalarOut(r.Ctx, h, v, d), dst, t)
	return dst
}

// DivScalarOut writes t / other for a number to dst and returns dst. Follows
// torch.div(..., out=dst).
func DivScalarOut(dst, t *Tensor, other any) *Tensor {
	const op = "DivScalarOut(dst, self)"
	d, h, v := dst.handle(op, 0), t.handle(op, 1), scalarArg(op, "other", other)
	r := BeginRaw(op)
	r.Status(aten.DivScalarOut(r.Ctx, h, v, d), dst, t)
	return dst
}

// PowScalarOut writes t raised to other for a number to dst and returns dst.
// Follows torch.pow(..., out=dst).
func PowScalarOut(dst, t *Tensor, other any) *Tensor {
	const op = "PowScalarOut(dst, self)"
	d, h, v := dst.handle(op, 0), t.handle(op, 1), scalarArg(op, "other", other)
	r := BeginRaw(op)
	r.Status(aten.PowTensorScalarOut(r.Ctx, h, v, d), dst, t)
	return dst
}

// ClampOut writes Clamp of t to dst and returns dst. Follows torch.clamp(...,
// out=dst).
func ClampOut(dst, t *Tensor, lo, hi any) *Tensor {
	const op = "ClampOut(dst, self)"
	a, b := ScalarOf(op, "lo", lo), ScalarOf(op, "hi", hi)
	return unaryOut(op, func(cx abi.Ctx, h, d abi.Tensor) abi.Status { return aten.ClampOut(cx, h, a, b, d) }, dst, t)
}

// WhereOut writes a where condition is true and b elsewhere to dst, and returns
// dst. Follows torch.where(..., out=dst).
func WhereOut(dst, condition, a, b *Tensor) *Tensor {
	const op = "WhereOut(dst, condition, self, other)"
	d, c, x, y := dst.handle(op, 0), condition.handle(op, 1), a.handle(op, 2), b.handle(op, 3)
	r := BeginRaw(op)
	r.Status(aten.WhereSelfOut(r.Ctx, c, x, y, d), dst, condition, a, b)
	return dst
}

// SoftmaxOut writes the softmax of t along dim to dst and returns dst. Follows
// torch.softmax(..., out=dst).
func SoftmaxOut(dst, t *Tensor, dim int64) *Tensor {
	return unaryOut("SoftmaxOut(dst, self)", func(cx abi.Ctx, h, d abi.Tensor) abi.Status {
		return aten.SoftmaxIntOut(cx, h, dim, -1, d)
	}, dst, t)
}

// LogSoftmaxOut writes the log-softmax of t along dim to dst and returns dst.
// Follows torch.log_softmax(..., out=dst).
func LogSoftmaxOut(dst, t *Tensor, dim int64) *Tensor {
	return unaryOut("LogSoftmaxOut(dst, self)", func(cx abi.Ctx, h, d abi.Tensor) abi.Status {
		return aten.LogSoftmaxIntOut(cx, h, dim, -1, d)
	}, dst, t)
}

// NegOut writes Neg of t to dst and returns dst. Follows torch.neg(...,
// out=dst).
func NegOut(dst, t *Tensor) *Tensor { return unaryOut("NegOut(dst, self)", aten.NegOut, dst, t) }

// AbsOut writes Abs of t to dst and returns dst. Follows torch.abs(...,
// out=dst).
func AbsOut(dst, t *Tensor) *Tensor { return unaryOut("AbsOut(dst, self)", aten.AbsOut, dst, t) }

// SignOut writes Sign of t to dst and returns dst. Follows torch.sign(...,
// out=dst).
func SignOut(dst, t *Tensor) *Tensor { return unaryOut("SignOut(dst, self)", aten.SignOut, dst, t) }

// ExpOut writes Exp of t to dst and returns dst. Follows torch.exp(...,
// out=dst).
func ExpOut(dst, t *Tensor) *Tensor { return unaryOut("ExpOut(dst, self)", aten.ExpOut, dst, t) }

// Expm1Out writes Expm1 of t to dst and returns dst. Follows torch.expm1(...,
// out=dst).
func Expm1Out(dst, t *Tensor) *Tensor { return unaryOut("Expm1Out(dst, self)", aten.Expm1Out, dst, t) }

// LogOut writes Log of t to dst and returns dst. Follows torch.log(...,
// out=dst).
func LogOut(dst, t *Tensor) *Tensor { return unaryOut("LogOut(dst, self)", aten.LogOut, dst, t) }

// Log2Out writes Log2 of t to dst and returns dst. Follows torch.log2(...,
// out=dst).
func Log2Out(dst, t *Tensor) *Tensor { return unaryOut("Log2Out(dst, self)", aten.Log2Out, dst, t) }

// Log10Out writes Log10 of t to dst and returns dst. Follows torch.log10(...,
// out=dst).
func Log10Out(dst, t *Tensor) *Tensor { return unaryOut("Log10Out(dst, self)", aten.Log10Out, dst, t) }

// Log1pOut writes Log1p of t to dst and returns dst. Follows torch.log1p(...,
// out=dst).
func Log1pOut(dst, t *Tensor) *Tensor { return unaryOut("Log1pOut(dst, self)", aten.Log1pOut, dst, t) }

// SqrtOut writes Sqrt of t to dst and returns dst. Follows torch.sqrt(...,
// out=dst).
func SqrtOut(dst, t *Tensor) *Tensor { return unaryOut("SqrtOut(dst, self)", aten.SqrtOut, dst, t) }

// RsqrtOut writes Rsqrt of t to dst and returns dst. Follows torch.rsqrt(...,
// out=dst).
func RsqrtOut(dst, t *Tensor) *Tensor { return unaryOut("RsqrtOut(dst, self)", aten.RsqrtOut, dst, t) }

// SquareOut writes Square of t to dst and returns dst. Follows
// torch.square(..., out=dst).
func SquareOut(dst, t *Tensor) *Tensor {
	return unaryOut("SquareOut(dst, self)", aten.SquareOut, dst, t)
}

// ReciprocalOut writes Reciprocal of t to dst and returns dst. Follows
// torch.reciprocal(..., out=dst).
func ReciprocalOut(dst, t *Tensor) *Tensor {
	return unaryOut("ReciprocalOut(dst, self)", aten.ReciprocalOut, dst, t)
}

// SinOut writes Sin of t to dst and returns dst. Follows torch.sin(...,
// out=dst).
func SinOut(dst, t *Tensor) *Tensor { return unaryOut("SinOut(dst, self)", aten.SinOut, dst, t) }

// CosOut writes Cos of t to dst and returns dst. Follows torch.cos(...,
// out=dst).
func CosOut(dst, t *Tensor) *Tensor { return unaryOut("CosOut(dst, self)", aten.CosOut, dst, t) }

// TanOut writes Tan of t to dst and returns dst. Follows torch.tan(...,
// out=dst).
func TanOut(dst, t *Tensor) *Tensor { return unaryOut("TanOut(dst, self)", aten.TanOut, dst, t) }

// TanhOut writes Tanh of t to dst and returns dst. Follows torch.tanh(...,
// out=dst).
func TanhOut(dst, t *Tensor) *Tensor { return unaryOut("TanhOut(dst, self)", aten.TanhOut, dst, t) }

// ErfOut writes Erf of t to dst and returns dst. Follows torch.erf(...,
// out=dst).
func ErfOut(dst, t *Tensor) *Tensor { return unaryOut("ErfOut(dst, self)", aten.ErfOut, dst, t) }

// SigmoidOut writes Sigmoid of t to dst and returns dst. Follows
// torch.sigmoid(..., out=dst).
func SigmoidOut(dst, t *Tensor) *Tensor {
	return unaryOut("SigmoidOut(dst, self)", aten.SigmoidOut, dst, t)
}

// CeilOut writes Ceil of t to dst and returns dst. Follows torch.ceil(...,
// out=dst).
func CeilOut(dst, t *Tensor) *Tensor { return unaryOut("CeilOut(dst, self)", aten.CeilOut, dst, t) }

// FloorOut writes Floor of t to dst and returns dst. Follows torch.floor(...,
// out=dst).
func FloorOut(dst, t *Tensor) *Tensor { return unaryOut("FloorOut(dst, self)", aten.FloorOut, dst, t) }

// RoundOut writes Round of t to dst and returns dst. Follows torch.round(...,
// out=dst).
func RoundOut(dst, t *Tensor) *Tensor { return unaryOut("RoundOut(dst, self)", aten.RoundOut, dst, t) }

// TruncOut writes Trunc of t to dst and returns dst. Follows torch.trunc(...,
// out=dst).
func TruncOut(dst, t *Tensor) *Tensor { return unaryOut("TruncOut(dst, self)", aten.TruncOut, dst, t) }

// LogicalNotOut writes LogicalNot of t to dst and returns dst. Follows
// torch.logical_not(..., out=dst).
func LogicalNotOut(dst, t *Tensor) *Tensor {
	return unaryOut("LogicalNotOut(dst, self)", aten.LogicalNotOut, dst, t)
}

// ReLUOut writes max(t, 0) to dst and returns dst. Python has no such form.
func ReLUOut(dst, t *Tensor) *Tensor { return unaryOut("ReLUOut(dst, self)", aten.ReluOut, dst, t) }
