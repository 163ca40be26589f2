package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// ReLU returns max(x, 0), in x's shape and dtype, as a new tensor. It panics with
// ErrNil or ErrClosed for an unusable x and with an error of libtorch for a dtype
// that is not real. Follows torch.nn.functional.relu.
func ReLU(x *torch.Tensor) *torch.Tensor {
	const op = "ReLU(input)"
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Relu(r.Ctx, h), x)
}

// ReLU6 returns min(max(x, 0), 6), in x's shape and dtype, as a new tensor. It
// panics as [ReLU] does. Follows torch.nn.functional.relu6.
func ReLU6(x *torch.Tensor) *torch.Tensor { return unary("ReLU6(input)", aten.Relu6, x) }

// A GELUOption says how GELU is computed: [Approximate].
type GELUOption interface{ opt.GELUFunc }

// GELU returns x times the distribution function of the standard normal
// distribution at x, for floating-point x of any shape, as a new tensor. It
// panics with ErrValue for an unknown approximation and with ErrNotImplemented
// for integers. Follows torch.nn.functional.gelu.
func GELU(x *torch.Tensor, opts ...GELUOption) *torch.Tensor {
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
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Gelu(r.Ctx, h, string(approximate)), x)
}

// Sigmoid returns 1 / (1 + exp(-x)), in x's shape, as a new tensor; integers
// become floating-point numbers. It panics as [ReLU] does. Follows
// torch.nn.functional.sigmoid.
func Sigmoid(x *torch.Tensor) *torch.Tensor { return unary("Sigmoid(input)", aten.Sigmoid, x) }

// Tanh returns the hyperbolic tangent, in x's shape, as a new tensor; integers
// become floating-point numbers. It panics as [ReLU] does. Follows
// torch.nn.functional.tanh.
func Tanh(x *torch.Tensor) *torch.Tensor { return unary("Tanh(input)", aten.Tanh, x) }

// SiLU returns x * sigmoid(x) for floating-point x, in its shape, as a new
// tensor. It panics as [ReLU] does. Follows torch.nn.functional.silu.
func SiLU(x *torch.Tensor) *torch.Tensor { return unary("SiLU(input)", aten.Silu, x) }

// Mish returns x * tanh(softplus(x)) for floating-point x, in its shape, as a new
// tensor. It panics as [ReLU] does. Follows torch.nn.functional.mish.
func Mish(x *torch.Tensor) *torch.Tensor { return unary("Mish(input)", aten.Mish, x) }

// SELU returns the scaled exponential linear unit of floating-point x, in its
// shape, as a new tensor. It panics as [ReLU] does. Follows
// torch.nn.functional.selu.
func SELU(x *torch.Tensor) *torch.Tensor { return unary("SELU(input)", aten.Selu, x) }

// Hardswish returns x * relu6(x + 3) / 6 for floating-point x, in its shape, as a
// new tensor. It panics as [ReLU] does. Follows torch.nn.functional.hardswish.
func Hardswish(x *torch.Tensor) *torch.Tensor { return unary("Hardswish(input)", aten.Hardswish, x) }

// Hardsigmoid returns relu6(x + 3) / 6 for floating-point x, in its shape, as a
// new tensor. It panics as [ReLU] does. Follows torch.nn.functional.hardsigmoid.
func Hardsigmoid(x *torch.Tensor) *torch.Tensor {
	return unary("Hardsigmoid(input)", aten.Hardsigmoid, x)
}

// LogSigmoid returns log(sigmoid(x)) for floating-point x, in its shape, as a new
// tensor. It panics as [ReLU] does. Follows torch.nn.functional.logsigmoid.
func LogSigmoid(x *torch.Tensor) *torch.Tensor { return unary("LogSigmoid(input)", aten.LogSigmoid, x) }

// A LeakyReLUOption is [NegativeSlope].
type LeakyReLUOption interface{ opt.LeakyReLUFunc }

// LeakyReLU returns x where it is positive and NegativeSlope * x elsewhere, for
// floating-point x, in its shape, as a new tensor. It panics as [ReLU] does.
// Follows torch.nn.functional.leaky_relu.
func LeakyReLU(x *torch.Tensor, opts ...LeakyReLUOption) *torch.Tensor {
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
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.LeakyRelu(r.Ctx, h, float(slope)), x)
}

// An ELUOption is [Alpha].
type ELUOption interface{ opt.ELUFunc }

// ELU returns x where it is positive and Alpha * (exp(x) - 1) elsewhere, for
// floating-point x, in its shape, as a new tensor. It panics as [ReLU] does.
// Follows torch.nn.functional.elu.
func ELU(x *torch.Tensor, opts ...ELUOption) *torch.Tensor {
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
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Elu(r.Ctx, h, float(alpha), float(1), float(1)), x)
}

// A HardtanhOption is a limit: [MinVal] or [MaxVal].
type HardtanhOption interface{ opt.HardtanhFunc }

// Hardtanh limits x to [MinVal, MaxVal], in its shape and dtype, as a new tensor.
// It panics with ErrValue if MinVal exceeds MaxVal and otherwise as [ReLU] does.
// Follows torch.nn.functional.hardtanh.
func Hardtanh(x *torch.Tensor, opts ...HardtanhOption) *torch.Tensor {
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
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Hardtanh(r.Ctx, h, float(lo), float(hi)), x)
}

// A SoftplusOption is [Beta] or [WithThreshold].
type SoftplusOption interface{ opt.SoftplusFunc }

// Softplus returns log(1 + exp(Beta * x)) / Beta, and x itself where Beta * x
// exceeds WithThreshold, for floating-point x, in its shape, as a new tensor. It
// panics as [ReLU] does. Follows torch.nn.functional.softplus.
func Softplus(x *torch.Tensor, opts ...SoftplusOption) *torch.Tensor {
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
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Softplus(r.Ctx, h, float(beta), float(threshold)), x)
}

// PReLU returns x where it is positive and weight * x elsewhere, in x's shape, as
// a new tensor; weight has one element or one for each channel of x, of shape (N,
// C, *). It panics with ErrShape if their number differs and otherwise as [ReLU]
// does. Follows torch.nn.functional.prelu.
func PReLU(x, weight *torch.Tensor) *torch.Tensor {
	const op = "PReLU(input, weight)"
	h, w := x.HandleFor(op, 0), weight.HandleFor(op, 1)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Prelu(r.Ctx, h, w), x, weight)
}

// A GLUOption is [Dim].
type GLUOption interface{ opt.GLUFunc }

// GLU halves x along Dim, the last one without it, into a and b and returns a *
// sigmoid(b) as a new tensor. It panics with ErrShape if the size is odd and with
// ErrIndex for a dimension that x does not have. Follows
// torch.nn.functional.glu.
func GLU(x *torch.Tensor, opts ...GLUOption) *torch.Tensor {
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
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.Glu(r.Ctx, h, dim), x)
}

// A SoftmaxOption is a [DType], that of the computation and the result.
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

// Softmax returns exp(x) divided by its sum along dim, in x's shape, as a new
// tensor. It panics with ErrIndex for a dimension that x does not have and with
// ErrNotImplemented for integers that no DType converts. Follows
// torch.nn.functional.softmax.
func Softmax(x *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "Softmax(input)"
	dtype := readDType(op, opts)
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.SoftmaxInt(r.Ctx, h, dim, dtype), x)
}

// LogSoftmax returns the logarithm of [Softmax], computed without losing
// precision, as a new tensor. It panics as Softmax does. Follows
// torch.nn.functional.log_softmax.
func LogSoftmax(x *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "LogSoftmax(input)"
	dtype := readDType(op, opts)
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.LogSoftmaxInt(r.Ctx, h, dim, dtype), x)
}
