package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Activations related to ReLU, with options.

// lastOption returns the last option of a list, or a default value if the list is empty.
// Earlier options have no effect.
func lastOption[T any](given []T, otherwise T) T {
	if len(given) == 0 {
		return otherwise
	}
	return given[len(given)-1]
}

// LeakyReLU returns floating-point input where it is positive and NegativeSlope *
// input elsewhere. NegativeSlope is 0.01 by default. It panics as [ReLU] does.
// Follows torch.nn.functional.leaky_relu.
func LeakyReLU(input *torch.Tensor, negativeSlope ...NegativeSlope) *torch.Tensor {
	const op = "LeakyReLU(input)"
	slope := float64(lastOption(negativeSlope, 0.01))
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.LeakyRelu(cx, h, float(slope)) }, input)
}

// LeakyReLU_ is the in-place form of [LeakyReLU]. It panics as [ReLU_] does. Backward
// panics if the slope is negative. Follows torch.nn.functional.leaky_relu_.
func LeakyReLU_(input *torch.Tensor, negativeSlope ...NegativeSlope) *torch.Tensor {
	const op = "LeakyReLU_(input)"
	slope := float64(lastOption(negativeSlope, 0.01))
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.LeakyRelu_(cx, h, float(slope)) }, input)
}

// ELU returns input where it is positive and Alpha * (exp(input) - 1) elsewhere, for
// floating-point input. It panics as [ReLU] does. Follows torch.nn.functional.elu.
func ELU(input *torch.Tensor, alpha ...Alpha) *torch.Tensor {
	const op = "ELU(input)"
	a := float64(lastOption(alpha, 1))
	return unary(op,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Elu(cx, h, float(a), integer(1), integer(1)) }, input)
}

// ELU_ is the in-place form of [ELU]. It panics as [ReLU_] does. Backward panics if
// Alpha is negative. Follows torch.nn.functional.elu_.
func ELU_(input *torch.Tensor, alpha ...Alpha) *torch.Tensor {
	const op = "ELU_(input)"
	a := float64(lastOption(alpha, 1))
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Elu_(cx, h, float(a), integer(1), integer(1))
	}, input)
}

// CELU returns max(0, input) + min(0, Alpha * (exp(input / Alpha) - 1)) for
// floating-point input. It panics with ErrValue for an Alpha of 0, and otherwise as
// [ReLU] does. Follows torch.nn.functional.celu.
func CELU(input *torch.Tensor, alpha ...Alpha) *torch.Tensor {
	const op = "CELU(input)"
	a := celuAlpha(op, alpha)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Celu(cx, h, float(a)) }, input)
}

// CELU_ is the in-place form of [CELU]. It panics as CELU and [ReLU_] do.
// Follows torch.nn.functional.celu_.
func CELU_(input *torch.Tensor, alpha ...Alpha) *torch.Tensor {
	const op = "CELU_(input)"
	a := celuAlpha(op, alpha)
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Celu_(cx, h, float(a)) }, input)
}

func celuAlpha(op string, alpha []Alpha) float64 {
	a := float64(lastOption(alpha, 1))
	if a == 0 {
		panic(torch.NewError(op, torch.ErrValue, "Alpha",
			"expected a number other than 0, because input is divided by it"))
	}
	return a
}

// An RReLUOption is [Lower], [Upper] or [Training].
type RReLUOption interface{ opt.RReLUFunc }

func readRReLU(op string, opts []RReLUOption) (lower, upper float64, training bool) {
	l, u, t := opt.Read3(op, opts, Lower(1.0/8), Upper(1.0/3), Training(false))
	lower, upper = float64(l), float64(u)
	if lower > upper {
		panic(torch.NewError(op, torch.ErrValue, "Lower",
			fmt.Sprintf("expected at most Upper, which is %v, got %v", upper, lower)))
	}
	return lower, upper, bool(t)
}

// RReLU returns floating-point input where it is positive, and input times a slope
// elsewhere. With Training(true), each element has a random slope between [Lower], 1/8 by
// default, and [Upper], 1/3 by default. The slopes come from the device's default
// generator in PyTorch's order. With Training(false), the slope is the mean of Lower and
// Upper. It panics with ErrValue if Lower exceeds Upper, and otherwise as [ReLU] does.
// Follows torch.nn.functional.rrelu.
func RReLU(input *torch.Tensor, opts ...RReLUOption) *torch.Tensor {
	const op = "RReLU(input)"
	lower, upper, training := readRReLU(op, opts)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.Rrelu(cx, h, float(lower), float(upper), training, 0)
	}, input)
}

// RReLU_ is the in-place form of [RReLU]. It panics as RReLU and [ReLU_] do.
// Follows torch.nn.functional.rrelu_.
func RReLU_(input *torch.Tensor, opts ...RReLUOption) *torch.Tensor {
	const op = "RReLU_(input)"
	lower, upper, training := readRReLU(op, opts)
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Rrelu_(cx, h, float(lower), float(upper), training, 0)
	}, input)
}

// A HardtanhOption is [MinVal] or [MaxVal].
type HardtanhOption interface{ opt.HardtanhFunc }

func readHardtanh(op string, opts []HardtanhOption) (lo, hi float64) {
	low, high := opt.Read2(op, opts, MinVal(-1), MaxVal(1))
	lo, hi = float64(low), float64(high)
	if lo > hi {
		panic(torch.NewError(op, torch.ErrValue, "MinVal",
			fmt.Sprintf("expected at most MaxVal, which is %v, got %v", hi, lo)))
	}
	return lo, hi
}

// Hardtanh limits input to the range from MinVal to MaxVal. It panics with ErrValue
// if MinVal exceeds MaxVal and otherwise as [ReLU] does.
// Follows torch.nn.functional.hardtanh.
func Hardtanh(input *torch.Tensor, opts ...HardtanhOption) *torch.Tensor {
	const op = "Hardtanh(input)"
	lo, hi := readHardtanh(op, opts)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Hardtanh(cx, h, float(lo), float(hi)) },
		input)
}

// Hardtanh_ is the in-place form of [Hardtanh]. It panics as Hardtanh and [ReLU_] do.
// Follows torch.nn.functional.hardtanh_.
func Hardtanh_(input *torch.Tensor, opts ...HardtanhOption) *torch.Tensor {
	const op = "Hardtanh_(input)"
	lo, hi := readHardtanh(op, opts)
	return unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Hardtanh_(cx, h, float(lo), float(hi)) },
		input)
}

// PReLU returns input where it is positive and weight * input elsewhere. weight has
// one element, or one for each channel of input, which has shape (N, C, *). It panics
// with ErrShape for any other number of elements and otherwise as [ReLU] does.
// Follows torch.nn.functional.prelu.
func PReLU(input, weight *torch.Tensor) *torch.Tensor {
	const op = "PReLU(input, weight)"
	h, w := input.HandleFor(op, 0), weight.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, weight)
	return r.Tensor(aten.Prelu(r.Ctx, h, w))
}
