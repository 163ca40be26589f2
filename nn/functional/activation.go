package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// Activations work element by element and return a tensor of x's shape.

// ReLU returns max(x, 0). Follows torch.nn.functional.relu.
func ReLU(x *torch.Tensor) *torch.Tensor {
	const op = "ReLU(input)"
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Relu(r.Ctx, h), x)
}

// ReLU6 returns min(max(x, 0), 6). Follows torch.nn.functional.relu6.
func ReLU6(x *torch.Tensor) *torch.Tensor { return unary("ReLU6(input)", aten.Relu6, x) }

// GELUApproximation is how GELU computes the Gaussian's distribution function.
type GELUApproximation string

// The approximations; the zero value is exact.
const (
	GELUExact GELUApproximation = "none"
	GELUTanh  GELUApproximation = "tanh"
)

// GELU returns x times the distribution function of the standard normal
// distribution at x, exactly unless an approximation is given. It panics with
// ErrValue for an unknown one. Follows torch.nn.functional.gelu.
func GELU(x *torch.Tensor, approximate ...GELUApproximation) *torch.Tensor {
	const op = "GELU(input)"
	a := option(op, approximate)
	if a == "" {
		a = GELUExact
	}
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Gelu(r.Ctx, h, string(a)), x)
}

// Sigmoid returns 1 / (1 + exp(-x)). Follows torch.nn.functional.sigmoid.
func Sigmoid(x *torch.Tensor) *torch.Tensor { return unary("Sigmoid(input)", aten.Sigmoid, x) }

// Tanh returns the hyperbolic tangent. Follows torch.nn.functional.tanh.
func Tanh(x *torch.Tensor) *torch.Tensor { return unary("Tanh(input)", aten.Tanh, x) }

// SiLU returns x * sigmoid(x). Follows torch.nn.functional.silu.
func SiLU(x *torch.Tensor) *torch.Tensor { return unary("SiLU(input)", aten.Silu, x) }

// Mish returns x * tanh(softplus(x)). Follows torch.nn.functional.mish.
func Mish(x *torch.Tensor) *torch.Tensor { return unary("Mish(input)", aten.Mish, x) }

// SELU returns the scaled exponential linear unit. Follows
// torch.nn.functional.selu.
func SELU(x *torch.Tensor) *torch.Tensor { return unary("SELU(input)", aten.Selu, x) }

// Hardswish returns x * relu6(x + 3) / 6. Follows
// torch.nn.functional.hardswish.
func Hardswish(x *torch.Tensor) *torch.Tensor { return unary("Hardswish(input)", aten.Hardswish, x) }

// Hardsigmoid returns relu6(x + 3) / 6. Follows
// torch.nn.functional.hardsigmoid.
func Hardsigmoid(x *torch.Tensor) *torch.Tensor {
	return unary("Hardsigmoid(input)", aten.Hardsigmoid, x)
}

// LogSigmoid returns log(sigmoid(x)). Follows torch.nn.functional.logsigmoid.
func LogSigmoid(x *torch.Tensor) *torch.Tensor { return unary("LogSigmoid(input)", aten.LogSigmoid, x) }

// LeakyReLU returns x where it is positive and slope * x elsewhere; PyTorch's
// default slope is 0.01. Follows torch.nn.functional.leaky_relu.
func LeakyReLU(x *torch.Tensor, slope float64) *torch.Tensor {
	return unary("LeakyReLU(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LeakyRelu(cx, h, float(slope))
	}, x)
}

// ELU returns x where it is positive and alpha * (exp(x) - 1) elsewhere;
// PyTorch's default alpha is 1. Follows torch.nn.functional.elu.
func ELU(x *torch.Tensor, alpha float64) *torch.Tensor {
	return unary("ELU(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Elu(cx, h, float(alpha), float(1), float(1))
	}, x)
}

// Hardtanh limits x to [lo, hi]; PyTorch's defaults are -1 and 1. Follows
// torch.nn.functional.hardtanh.
func Hardtanh(x *torch.Tensor, lo, hi float64) *torch.Tensor {
	return unary("Hardtanh(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Hardtanh(cx, h, float(lo), float(hi))
	}, x)
}

// Softplus returns log(1 + exp(beta * x)) / beta, and x itself where beta * x
// exceeds threshold; PyTorch's defaults are 1 and 20. Follows
// torch.nn.functional.softplus.
func Softplus(x *torch.Tensor, beta, threshold float64) *torch.Tensor {
	return unary("Softplus(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Softplus(cx, h, float(beta), float(threshold))
	}, x)
}

// PReLU returns x where it is positive and weight * x elsewhere; weight has
// one element or one a channel. Follows torch.nn.functional.prelu.
func PReLU(x, weight *torch.Tensor) *torch.Tensor {
	const op = "PReLU(input, weight)"
	h, w := x.HandleFor(op, 0), weight.HandleFor(op, 1)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Prelu(r.Ctx, h, w), x, weight)
}

// GLU halves x along dim into a and b and returns a * sigmoid(b). It panics
// with ErrShape if the size is odd. Follows torch.nn.functional.glu.
func GLU(x *torch.Tensor, dim int64) *torch.Tensor {
	return unary("GLU(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Glu(cx, h, dim) }, x)
}

// Softmax returns exp(x) divided by its sum along dim. A dtype converts x
// first. Follows torch.nn.functional.softmax.
func Softmax(x *torch.Tensor, dim int64, dtype ...torch.DType) *torch.Tensor {
	const op = "Softmax(input)"
	dt := option(op, dtype).Code()
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.SoftmaxInt(r.Ctx, h, dim, dt), x)
}

// LogSoftmax returns the logarithm of Softmax, computed without losing
// precision. Follows torch.nn.functional.log_softmax.
func LogSoftmax(x *torch.Tensor, dim int64, dtype ...torch.DType) *torch.Tensor {
	const op = "LogSoftmax(input)"
	dt := option(op, dtype).Code()
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.LogSoftmaxInt(r.Ctx, h, dim, dt), x)
}
