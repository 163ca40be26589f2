package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// Activations without options.

// ReLU returns max(input, 0) in input's shape and dtype. It panics with ErrNil or
// ErrClosed for a nil or closed input, and with a libtorch error for a dtype that is not
// real. Follows torch.nn.functional.relu.
func ReLU(input *torch.Tensor) *torch.Tensor {
	const op = "ReLU(input)"
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Relu(r.Ctx, h))
}

// ReLU_ is the in-place form of [ReLU]. It panics as ReLU does, and with ErrAutograd
// for a leaf that requires gradients, outside NoGrad.
// Follows torch.nn.functional.relu_.
func ReLU_(input *torch.Tensor) *torch.Tensor { return unary_("ReLU_(input)", aten.Relu_, input) }

// ReLU6 returns min(max(input, 0), 6). It panics as [ReLU] does.
// Follows torch.nn.functional.relu6.
func ReLU6(input *torch.Tensor) *torch.Tensor { return unary("ReLU6(input)", aten.Relu6, input) }

// ReLU6_ is the in-place form of [ReLU6]. It panics as [ReLU_] does.
// Follows torch.nn.functional.relu6 with inplace=True.
func ReLU6_(input *torch.Tensor) *torch.Tensor { return unary_("ReLU6_(input)", aten.Relu6_, input) }

// Sigmoid returns 1 / (1 + exp(-input)). An integer input gives a floating-point
// result. It panics as [ReLU] does. Follows torch.nn.functional.sigmoid.
func Sigmoid(input *torch.Tensor) *torch.Tensor { return unary("Sigmoid(input)", aten.Sigmoid, input) }

// Tanh returns the hyperbolic tangent. An integer input gives a floating-point
// result. It panics as [ReLU] does. Follows torch.nn.functional.tanh.
func Tanh(input *torch.Tensor) *torch.Tensor { return unary("Tanh(input)", aten.Tanh, input) }

// Tanhshrink returns input - tanh(input). An integer input gives a floating-point
// result. It panics as [ReLU] does. Follows torch.nn.functional.tanhshrink.
func Tanhshrink(input *torch.Tensor) *torch.Tensor {
	const op = "Tanhshrink(input)"
	tanh := unary(op, aten.Tanh, input)
	defer func() { _ = tanh.Close() }()
	return binary(op, subTensor, input, tanh)
}

// Softsign returns input / (1 + |input|). An integer input gives a floating-point
// result. It panics as [ReLU] does. Follows torch.nn.functional.softsign.
func Softsign(input *torch.Tensor) *torch.Tensor {
	const op = "Softsign(input)"
	below := unaryClosing(op, unary(op, aten.Abs, input), func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.AddScalar(cx, h, integer(1), integer(1))
	})
	defer func() { _ = below.Close() }()
	return binary(op, aten.DivTensor, input, below)
}

// SiLU returns input * sigmoid(input) for floating-point input. It panics as [ReLU]
// does. Follows torch.nn.functional.silu.
func SiLU(input *torch.Tensor) *torch.Tensor { return unary("SiLU(input)", aten.Silu, input) }

// SiLU_ is the in-place form of [SiLU]. It panics as [ReLU_] does.
// Follows torch.nn.functional.silu with inplace=True.
func SiLU_(input *torch.Tensor) *torch.Tensor { return unary_("SiLU_(input)", aten.Silu_, input) }

// Mish returns input * tanh(softplus(input)) for floating-point input. It panics as
// [ReLU] does. Follows torch.nn.functional.mish.
func Mish(input *torch.Tensor) *torch.Tensor { return unary("Mish(input)", aten.Mish, input) }

// Mish_ is the in-place form of [Mish]. It panics as [ReLU_] does.
// Follows torch.nn.functional.mish with inplace=True.
func Mish_(input *torch.Tensor) *torch.Tensor { return unary_("Mish_(input)", aten.Mish_, input) }

// SELU returns the scaled exponential linear unit of floating-point input. It panics
// as [ReLU] does. Follows torch.nn.functional.selu.
func SELU(input *torch.Tensor) *torch.Tensor { return unary("SELU(input)", aten.Selu, input) }

// SELU_ is the in-place form of [SELU]. It panics as [ReLU_] does.
// Follows torch.nn.functional.selu_.
func SELU_(input *torch.Tensor) *torch.Tensor { return unary_("SELU_(input)", aten.Selu_, input) }

// Hardswish returns input * relu6(input + 3) / 6 for floating-point input. It panics
// as [ReLU] does. Follows torch.nn.functional.hardswish.
func Hardswish(input *torch.Tensor) *torch.Tensor {
	return unary("Hardswish(input)", aten.Hardswish, input)
}

// Hardswish_ is the in-place form of [Hardswish]. It panics as [ReLU_] does.
// Follows torch.nn.functional.hardswish with inplace=True.
func Hardswish_(input *torch.Tensor) *torch.Tensor {
	return unary_("Hardswish_(input)", aten.Hardswish_, input)
}

// Hardsigmoid returns relu6(input + 3) / 6 for floating-point input. It panics as
// [ReLU] does. Follows torch.nn.functional.hardsigmoid.
func Hardsigmoid(input *torch.Tensor) *torch.Tensor {
	return unary("Hardsigmoid(input)", aten.Hardsigmoid, input)
}

// Hardsigmoid_ is the in-place form of [Hardsigmoid]. It panics as [ReLU_] does.
// Follows torch.nn.functional.hardsigmoid with inplace=True.
func Hardsigmoid_(input *torch.Tensor) *torch.Tensor {
	return unary_("Hardsigmoid_(input)", aten.Hardsigmoid_, input)
}

// LogSigmoid returns log(sigmoid(input)) for floating-point input. It panics as
// [ReLU] does. Follows torch.nn.functional.logsigmoid.
func LogSigmoid(input *torch.Tensor) *torch.Tensor {
	return unary("LogSigmoid(input)", aten.LogSigmoid, input)
}

// Threshold returns input where it exceeds threshold, and value elsewhere. It panics
// as [ReLU] does. Follows torch.nn.functional.threshold.
func Threshold(input *torch.Tensor, threshold, value float64) *torch.Tensor {
	return unary("Threshold(input)", func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Threshold(cx, h, float(threshold), float(value))
	}, input)
}

// Threshold_ is the in-place form of [Threshold]. It panics as [ReLU_] does.
// Follows torch.nn.functional.threshold_.
func Threshold_(input *torch.Tensor, threshold, value float64) *torch.Tensor {
	return unary_("Threshold_(input)", func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Threshold_(cx, h, float(threshold), float(value))
	}, input)
}
