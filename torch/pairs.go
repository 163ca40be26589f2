package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// Atan2 returns the angle of the point (other, t), in (-pi, pi]:
// arctan(t/other) in the right quadrant. Panics are those of Add. Follows
// torch.atan2.
func (t *Tensor) Atan2(other *Tensor) *Tensor {
	return binary("Atan2(self, other)", aten.Atan2, t, other)
}

// Hypot returns sqrt(t*t + other*other) without overflow on the way. It panics
// as Add does, and with ErrDType for integers. Follows torch.hypot.
func (t *Tensor) Hypot(other *Tensor) *Tensor {
	return binary("Hypot(self, other)", aten.Hypot, t, other)
}

// Copysign returns the size of t with the sign of other, as floating point.
// Panics are those of Add. Follows torch.copysign.
func (t *Tensor) Copysign(other *Tensor) *Tensor {
	return binary("Copysign(self, other)", aten.CopysignTensor, t, other)
}

// CopysignScalar is Copysign for a number. Follows torch.copysign.
func (t *Tensor) CopysignScalar(other any) *Tensor {
	return withScalar("CopysignScalar(self)", aten.CopysignScalar, t, "other", other)
}

// Nextafter returns the next floating-point number after t in the direction of
// other. No gradient. It panics as Add does, and with ErrDType for integers.
// Follows torch.nextafter.
func (t *Tensor) Nextafter(other *Tensor) *Tensor {
	return binary("Nextafter(self, other)", aten.Nextafter, t, other)
}

// Heaviside returns 0 where t is negative, 1 where it is positive and values
// where it is zero. Both must have one dtype, else it panics with ErrDType.
// Follows torch.heaviside.
func (t *Tensor) Heaviside(values *Tensor) *Tensor {
	return binary("Heaviside(self, values)", aten.Heaviside, t, values)
}

// Gcd returns the greatest common divisor, which is not negative. For integers;
// it panics with ErrDType otherwise. Follows torch.gcd.
func (t *Tensor) Gcd(other *Tensor) *Tensor {
	return binary("Gcd(self, other)", aten.Gcd, t, other)
}

// Lcm returns the least common multiple, which is not negative. For integers;
// it panics with ErrDType otherwise. Follows torch.lcm.
func (t *Tensor) Lcm(other *Tensor) *Tensor {
	return binary("Lcm(self, other)", aten.Lcm, t, other)
}

// LogAddExp returns log(exp(t) + exp(other)) without overflow on the way. It
// panics as Add does, and with ErrDType for integers. Follows torch.logaddexp.
func (t *Tensor) LogAddExp(other *Tensor) *Tensor {
	return binary("LogAddExp(self, other)", aten.Logaddexp, t, other)
}

// LogAddExp2 is LogAddExp to base 2. Follows torch.logaddexp2.
func (t *Tensor) LogAddExp2(other *Tensor) *Tensor {
	return binary("LogAddExp2(self, other)", aten.Logaddexp2, t, other)
}

// Xlogy returns t * log(other), and 0 where t is 0. Panics are those of Add.
// Follows torch.xlogy.
func (t *Tensor) Xlogy(other *Tensor) *Tensor {
	return binary("Xlogy(self, other)", aten.XlogyTensor, t, other)
}

// XlogyScalar is Xlogy for a number. Follows torch.xlogy.
func (t *Tensor) XlogyScalar(other any) *Tensor {
	return withScalar("XlogyScalar(self)", aten.XlogyScalarOther, t, "other", other)
}

// Ldexp returns t * 2**other. Panics are those of Add. Follows torch.ldexp.
func (t *Tensor) Ldexp(other *Tensor) *Tensor {
	return binary("Ldexp(self, other)", aten.LdexpTensor, t, other)
}

// Frexp splits t into mantissa and exponent: t = mantissa * 2**exponent, with
// the mantissa's size in [0.5, 1) and the exponent int32. It panics with
// ErrDType for anything but floating point. Follows torch.frexp.
func (t *Tensor) Frexp() (mantissa, exponent *Tensor) {
	const op = "Frexp(self)"
	h := t.handle(op, 0)
	r := BeginRaw(op)
	res, st := aten.FrexpTensor(r.Ctx, h)
	r.Status(st, t)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// Maximum returns the larger of each two elements; NaN if either is NaN. It
// panics as Add does, and with ErrDType for complex numbers. Follows
// torch.maximum.
func (t *Tensor) Maximum(other *Tensor) *Tensor {
	return binary("Maximum(self, other)", aten.Maximum, t, other)
}

// Minimum returns the smaller of each two elements; NaN if either is NaN.
// Panics are those of Maximum. Follows torch.minimum.
func (t *Tensor) Minimum(other *Tensor) *Tensor {
	return binary("Minimum(self, other)", aten.Minimum, t, other)
}

// Fmax is Maximum, but a number beats NaN. Follows torch.fmax.
func (t *Tensor) Fmax(other *Tensor) *Tensor {
	return binary("Fmax(self, other)", aten.Fmax, t, other)
}

// Fmin is Minimum, but a number beats NaN. Follows torch.fmin.
func (t *Tensor) Fmin(other *Tensor) *Tensor {
	return binary("Fmin(self, other)", aten.Fmin, t, other)
}

// Igamma returns the regularized lower incomplete gamma function of t, the
// order, and other. The gradient is known for other only. Follows torch.igamma.
func (t *Tensor) Igamma(other *Tensor) *Tensor {
	return binary("Igamma(self, other)", aten.Igamma, t, other)
}

// Igammac returns the regularized upper incomplete gamma function, 1 - Igamma.
// Follows torch.igammac.
func (t *Tensor) Igammac(other *Tensor) *Tensor {
	return binary("Igammac(self, other)", aten.Igammac, t, other)
}

// Lerp returns t + weight * (end - t), with a weight for each element. The
// dtypes must be equal, else it panics with ErrDType; otherwise panics are
// those of Add. Follows torch.lerp.
func (t *Tensor) Lerp(end, weight *Tensor) *Tensor {
	return ternary("Lerp(self, end, weight)", aten.LerpTensor, t, end, weight)
}

// LerpScalar is Lerp with one weight. Follows torch.lerp.
func (t *Tensor) LerpScalar(end *Tensor, weight any) *Tensor {
	const op = "LerpScalar(self, end)"
	a, b, v := t.handle(op, 0), end.handle(op, 1), scalarArg(op, "weight", weight)
	r := BeginRaw(op)
	return r.Tensor(aten.LerpScalar(r.Ctx, a, b, v), t, end)
}

// Addcmul returns t + value * tensor1 * tensor2; a nil value is 1. The shapes
// broadcast. Panics are those of Add and AddScalar. Follows torch.addcmul.
func (t *Tensor) Addcmul(tensor1, tensor2 *Tensor, value any) *Tensor {
	const op = "Addcmul(self, tensor1, tensor2)"
	v := factorArg(op, value)
	return ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return aten.Addcmul(cx, a, b, c, v) }, t, tensor1, tensor2)
}

// Addcdiv returns t + value * tensor1 / tensor2; a nil value is 1. The shapes
// broadcast. It panics as Addcmul does, and with ErrDType for integer tensors.
// Follows torch.addcdiv.
func (t *Tensor) Addcdiv(tensor1, tensor2 *Tensor, value any) *Tensor {
	const op = "Addcdiv(self, tensor1, tensor2)"
	v := factorArg(op, value)
	return ternary(op, func(cx abi.Ctx, a, b, c abi.Tensor) abi.Ret { return aten.Addcdiv(cx, a, b, c, v) }, t, tensor1, tensor2)
}

// factorArg is scalarArg for a factor that is 1 if it is not given.
func factorArg(op string, value any) abi.Scalar {
	if value == nil {
		return one
	}
	return scalarArg(op, "value", value)
}
