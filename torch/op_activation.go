package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// LeakyReLU returns t where it is positive and negativeSlope * t elsewhere;
// PyTorch's default slope is 0.01. It panics with ErrDType for anything but
// floating point. Follows torch.nn.functional.leaky_relu.
func (t *Tensor) LeakyReLU(negativeSlope float64) *Tensor {
	return withScalar("LeakyReLU(self)", aten.LeakyRelu, t, "negativeSlope", negativeSlope)
}

// LeakyReLU_ is the in-place form of LeakyReLU. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as LeakyReLU does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows torch.nn.functional.leaky_relu_.
func (t *Tensor) LeakyReLU_(negativeSlope float64) *Tensor {
	return scalarInPlace("LeakyReLU_(self)", aten.LeakyRelu_, t, "negativeSlope", negativeSlope)
}

// PReLU is LeakyReLU with learned slopes: weight holds one number, or one for each
// channel (dimension 1 of t). It panics with ErrShape for any other size, and with
// ErrDType for anything but floating point. Follows torch.nn.functional.prelu.
func (t *Tensor) PReLU(weight *Tensor) *Tensor {
	return binary("PReLU(self, weight)", aten.Prelu, t, weight)
}

// ELU returns t where it is positive and alpha * (exp(t) - 1) elsewhere;
// PyTorch's default alpha is 1. It panics with ErrDType for anything but
// floating point. Follows torch.nn.functional.elu.
func (t *Tensor) ELU(alpha float64) *Tensor {
	return withScalar("ELU(self)", func(cx abi.Ctx, h abi.Tensor, a abi.Scalar) abi.Ret {
		return aten.Elu(cx, h, a, one, one)
	}, t, "alpha", alpha)
}

// ELU_ is the in-place form of ELU. It modifies t, which keeps its shape and
// dtype, and returns t. It panics as ELU does, and with ErrAutograd for a leaf
// that requires gradients, outside NoGrad. Follows torch.nn.functional.elu_.
func (t *Tensor) ELU_(alpha float64) *Tensor {
	return scalarInPlace("ELU_(self)", func(cx abi.Ctx, h abi.Tensor, a abi.Scalar) abi.Status {
		return aten.Elu_(cx, h, a, one, one)
	}, t, "alpha", alpha)
}

// CELU returns max(t, 0) + min(0, alpha * (exp(t/alpha) - 1)); PyTorch's
// default alpha is 1. It panics with ErrValue for an alpha of 0, and with
// ErrDType for anything but floating point. Follows torch.celu.
func (t *Tensor) CELU(alpha float64) *Tensor {
	return withScalar("CELU(self)", aten.Celu, t, "alpha", alpha)
}

// GELU returns t times the cumulative distribution function of the standard normal
// distribution at t. [ApproximateTanh] approximates that function. It panics with
// ErrDType for anything but floating point, and with ErrValue for an unknown
// approximation. Follows torch.nn.functional.gelu.
func (t *Tensor) GELU(opts ...GELUOption) *Tensor {
	const op = "GELU(self)"
	h, approximate := t.handle(op, 0), readGELU(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Gelu(r.Ctx, h, approximate))
}

// Softplus returns log(1 + exp(beta*t)) / beta, a smooth ReLU, and t itself
// where beta*t is above the threshold. The options are [Beta] (default 1) and
// [WithThreshold] (default 20). It panics with ErrDType for anything but
// floating point. Follows torch.nn.functional.softplus.
func (t *Tensor) Softplus(opts ...SoftplusOption) *Tensor {
	const op = "Softplus(self)"
	h := t.handle(op, 0)
	beta, threshold := readSoftplus(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.Softplus(r.Ctx, h, beta, threshold))
}

// Hardtanh returns t clamped to [lo, hi]; PyTorch's defaults are -1 and 1. It
// panics with ErrType if a bound is not a number, with ErrValue if a bound is
// out of range, and with ErrDType for bools and complex numbers.
// Follows torch.nn.functional.hardtanh.
func (t *Tensor) Hardtanh(lo, hi any) *Tensor {
	const op = "Hardtanh(self)"
	a, b := scalarArg(op, "lo", lo), scalarArg(op, "hi", hi)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Hardtanh(cx, h, a, b) }, t)
}

// Hardtanh_ is the in-place form of Hardtanh. It modifies t, which keeps its
// shape and dtype, and returns t. It panics as Hardtanh does, and with
// ErrAutograd for a leaf that requires gradients, outside NoGrad.
// Follows torch.nn.functional.hardtanh_.
func (t *Tensor) Hardtanh_(lo, hi any) *Tensor {
	const op = "Hardtanh_(self)"
	a, b := scalarArg(op, "lo", lo), scalarArg(op, "hi", hi)
	return unaryInPlace(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Hardtanh_(cx, h, a, b) }, t)
}

// Hardshrink returns t where |t| is above lambd, and 0 elsewhere; PyTorch's
// default is 0.5. It panics with ErrDType for anything but floating point.
// Follows torch.nn.functional.hardshrink.
func (t *Tensor) Hardshrink(lambd float64) *Tensor {
	return withScalar("Hardshrink(self)", aten.Hardshrink, t, "lambd", lambd)
}

// Softshrink moves each element towards 0 by lambd, but not beyond 0; PyTorch's default
// is 0.5. It panics with ErrValue for a negative lambd, and with ErrDType for anything
// but floating point. Follows torch.nn.functional.softshrink.
func (t *Tensor) Softshrink(lambd float64) *Tensor {
	return withScalar("Softshrink(self)", aten.Softshrink, t, "lambd", lambd)
}

// Threshold returns t where it is above threshold, and value elsewhere. It
// panics with ErrType if either is not a number, with ErrValue if either is out
// of range, and with ErrDType for bools and complex numbers.
// Follows torch.threshold.
func (t *Tensor) Threshold(threshold, value any) *Tensor {
	const op = "Threshold(self)"
	th, v := scalarArg(op, "threshold", threshold), scalarArg(op, "value", value)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Threshold(cx, h, th, v) }, t)
}

// GLU splits t in two halves along a [Dim] (default the last) and returns first
// * sigmoid(second). It panics with ErrShape for an odd size, with ErrIndex for
// a dimension out of range, and with ErrDType for anything but floating point.
// Follows torch.nn.functional.glu.
func (t *Tensor) GLU(dim ...Dim) *Tensor {
	d := int64(lastOf(dim, -1))
	return unary("GLU(self)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Glu(cx, h, d) }, t)
}

// Softmax returns exp(t) divided by its sum along dim, so that the elements
// along dim add up to 1. A [DType] converts t first. It panics with ErrIndex
// for a dimension out of range, and with ErrDType for integers without a DType.
// Follows torch.softmax.
func (t *Tensor) Softmax(dim int64, opts ...DTypeOption) *Tensor {
	const op = "Softmax(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.SoftmaxInt(r.Ctx, h, dim, o.dtype))
}

// LogSoftmax returns log(softmax(t)) along dim, accurate even where Softmax rounds to 0.
// It takes the options of Softmax. It panics as Softmax does. Follows torch.log_softmax.
func (t *Tensor) LogSoftmax(dim int64, opts ...DTypeOption) *Tensor {
	const op = "LogSoftmax(self)"
	h, o := t.handle(op, 0), readAlong(op, opts)
	r := BeginRaw(op, t)
	return r.Tensor(aten.LogSoftmaxInt(r.Ctx, h, dim, o.dtype))
}
