package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// ReLU returns max(input, 0), in input's shape and dtype, as a new tensor. It
// panics with ErrNil or ErrClosed for a nil or closed input, and with an error
// of libtorch for a dtype that is not real. Follows torch.nn.functional.relu.
func ReLU(input *torch.Tensor) *torch.Tensor {
	const op = "ReLU(input)"
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Relu(r.Ctx, h))
}

// ReLU6 returns min(max(input, 0), 6), in input's shape and dtype, as a new tensor. It
// panics as [ReLU] does. Follows torch.nn.functional.relu6.
func ReLU6(input *torch.Tensor) *torch.Tensor { return unary("ReLU6(input)", aten.Relu6, input) }

// A GELUOption is an option of [GELU]: [Approximate].
type GELUOption interface{ opt.GELUFunc }

// GELU returns input times the distribution function of the standard normal
// distribution at input, for floating-point input of any shape, as a new tensor. It
// panics with ErrValue for an unknown approximation and with ErrDType
// for integers. Follows torch.nn.functional.gelu.
func GELU(input *torch.Tensor, opts ...GELUOption) *torch.Tensor {
	const op = "GELU(input)"
	approximate := ApproximateNone
	for _, o := range opts {
		switch o := o.(type) {
		case Approximate:
			if o != ApproximateNone && o != ApproximateTanh {
				panic(torch.NewError(op, torch.ErrValue, "Approximate", "expected none or tanh, got "+strconv.Quote(string(o))))
			}
			approximate = o
		default:
			panic(opt.Unknown(op, o))
		}
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Gelu(r.Ctx, h, string(approximate)))
}

// Sigmoid returns 1 / (1 + exp(-input)), in input's shape, as a new tensor; integers
// become floating-point numbers. It panics as [ReLU] does. Follows
// torch.nn.functional.sigmoid.
func Sigmoid(input *torch.Tensor) *torch.Tensor { return unary("Sigmoid(input)", aten.Sigmoid, input) }

// Tanh returns the hyperbolic tangent, in input's shape, as a new tensor; integers
// become floating-point numbers. It panics as [ReLU] does. Follows
// torch.nn.functional.tanh.
func Tanh(input *torch.Tensor) *torch.Tensor { return unary("Tanh(input)", aten.Tanh, input) }

// SiLU returns input * sigmoid(input) for floating-point input, in its shape, as a new
// tensor. It panics as [ReLU] does. Follows torch.nn.functional.silu.
func SiLU(input *torch.Tensor) *torch.Tensor { return unary("SiLU(input)", aten.Silu, input) }

// Mish returns input * tanh(softplus(input)) for floating-point input, in its
// shape, as a new tensor. It panics as [ReLU] does. Follows
// torch.nn.functional.mish.
func Mish(input *torch.Tensor) *torch.Tensor { return unary("Mish(input)", aten.Mish, input) }

// SELU returns the scaled exponential linear unit of floating-point input, in its
// shape, as a new tensor. It panics as [ReLU] does. Follows
// torch.nn.functional.selu.
func SELU(input *torch.Tensor) *torch.Tensor { return unary("SELU(input)", aten.Selu, input) }

// Hardswish returns input * relu6(input + 3) / 6 for floating-point input, in its
// shape, as a new tensor. It panics as [ReLU] does. Follows
// torch.nn.functional.hardswish.
func Hardswish(input *torch.Tensor) *torch.Tensor {
	return unary("Hardswish(input)", aten.Hardswish, input)
}

// Hardsigmoid returns relu6(input + 3) / 6 for floating-point input, in its shape, as a
// new tensor. It panics as [ReLU] does. Follows torch.nn.functional.hardsigmoid.
func Hardsigmoid(input *torch.Tensor) *torch.Tensor {
	return unary("Hardsigmoid(input)", aten.Hardsigmoid, input)
}

// LogSigmoid returns log(sigmoid(input)) for floating-point input, in its shape,
// as a new tensor. It panics as [ReLU] does. Follows
// torch.nn.functional.logsigmoid.
func LogSigmoid(input *torch.Tensor) *torch.Tensor {
	return unary("LogSigmoid(input)", aten.LogSigmoid, input)
}

// A LeakyReLUOption is [NegativeSlope].
type LeakyReLUOption interface{ opt.LeakyReLUFunc }

// LeakyReLU returns input where it is positive and NegativeSlope * input elsewhere, for
// floating-point input, in its shape, as a new tensor. It panics as [ReLU] does.
// Follows torch.nn.functional.leaky_relu.
func LeakyReLU(input *torch.Tensor, opts ...LeakyReLUOption) *torch.Tensor {
	const op = "LeakyReLU(input)"
	slope := 0.01
	for _, o := range opts {
		switch o := o.(type) {
		case NegativeSlope:
			slope = float64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.LeakyRelu(r.Ctx, h, float(slope)))
}

// An ELUOption is [Alpha].
type ELUOption interface{ opt.ELUFunc }

// ELU returns input where it is positive and Alpha * (exp(input) - 1) elsewhere, for
// floating-point input, in its shape, as a new tensor. It panics as [ReLU] does.
// Follows torch.nn.functional.elu.
func ELU(input *torch.Tensor, opts ...ELUOption) *torch.Tensor {
	const op = "ELU(input)"
	alpha := 1.0
	for _, o := range opts {
		switch o := o.(type) {
		case Alpha:
			alpha = float64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Elu(r.Ctx, h, float(alpha), float(1), float(1)))
}

// A HardtanhOption is a limit: [MinVal] or [MaxVal].
type HardtanhOption interface{ opt.HardtanhFunc }

// Hardtanh limits input to the range from MinVal to MaxVal, in its shape and
// dtype, as a new tensor. It panics with ErrValue if MinVal exceeds MaxVal and
// otherwise as [ReLU] does. Follows torch.nn.functional.hardtanh.
func Hardtanh(input *torch.Tensor, opts ...HardtanhOption) *torch.Tensor {
	const op = "Hardtanh(input)"
	lo, hi := -1.0, 1.0
	for _, o := range opts {
		switch o := o.(type) {
		case MinVal:
			lo = float64(o)
		case MaxVal:
			hi = float64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if lo > hi {
		panic(torch.NewError(op, torch.ErrValue, "MinVal", fmt.Sprintf("expected at most MaxVal, which is %v, got %v", hi, lo)))
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Hardtanh(r.Ctx, h, float(lo), float(hi)))
}

// A SoftplusOption is [Beta] or [WithThreshold].
type SoftplusOption interface{ opt.SoftplusFunc }

// Softplus returns log(1 + exp(Beta * input)) / Beta, and input itself where Beta
// * input exceeds WithThreshold, for floating-point input, in its shape, as a new
// tensor. It panics as [ReLU] does. Follows torch.nn.functional.softplus.
func Softplus(input *torch.Tensor, opts ...SoftplusOption) *torch.Tensor {
	const op = "Softplus(input)"
	beta, threshold := 1.0, 20.0
	for _, o := range opts {
		switch o := o.(type) {
		case Beta:
			beta = float64(o)
		case WithThreshold:
			threshold = float64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Softplus(r.Ctx, h, float(beta), float(threshold)))
}

// PReLU returns input where it is positive and weight * input elsewhere, in
// input's shape, as a new tensor. weight has one element, or one for each
// channel of input, which has shape (N, C, *). It panics with ErrShape if the
// numbers differ and otherwise as [ReLU] does. Follows
// torch.nn.functional.prelu.
func PReLU(input, weight *torch.Tensor) *torch.Tensor {
	const op = "PReLU(input, weight)"
	h, w := input.HandleFor(op, 0), weight.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, weight)
	return r.Tensor(aten.Prelu(r.Ctx, h, w))
}

// A GLUOption is [Dim].
type GLUOption interface{ opt.GLUFunc }

// GLU splits input in half along Dim, by default the last dimension, into a and
// b, and returns a * sigmoid(b) as a new tensor. It panics with ErrShape if the
// size is odd and with ErrIndex for a dimension that input does not have.
// Follows torch.nn.functional.glu.
func GLU(input *torch.Tensor, opts ...GLUOption) *torch.Tensor {
	const op = "GLU(input)"
	dim := int64(-1)
	for _, o := range opts {
		switch o := o.(type) {
		case Dim:
			dim = int64(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Glu(r.Ctx, h, dim))
}

// A SoftmaxOption is an option of [Softmax] and [LogSoftmax]: a [DType] for the
// computation and the result.
type SoftmaxOption interface{ opt.SoftmaxFunc }

// readDType returns libtorch's number of the dtype in opts, -1 if there is none.
func readDType(op string, opts []SoftmaxOption) int8 {
	var dtype torch.DType
	for _, o := range opts {
		switch o := o.(type) {
		case DType:
			dtype = torch.DType(o)
		default:
			panic(opt.Unknown(op, o))
		}
	}
	return dtype.Code()
}

// Softmax returns exp(input) divided by its sum along dim, in input's shape, as
// a new tensor. It panics with ErrIndex for a dimension that input does not
// have, and with ErrDType for integers, unless a DType converts them.
// Follows torch.nn.functional.softmax.
func Softmax(input *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "Softmax(input)"
	dtype := readDType(op, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.SoftmaxInt(r.Ctx, h, dim, dtype))
}

// LogSoftmax returns the logarithm of [Softmax], computed without losing
// precision, as a new tensor. It panics as Softmax does. Follows
// torch.nn.functional.log_softmax.
func LogSoftmax(input *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "LogSoftmax(input)"
	dtype := readDType(op, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.LogSoftmaxInt(r.Ctx, h, dim, dtype))
}
