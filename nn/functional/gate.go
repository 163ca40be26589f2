package functional

import (
	"fmt"
	"strconv"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A GELUOption is an option of [GELU]: [Approximate].
type GELUOption interface{ opt.GELUFunc }

// GELU returns input times the cumulative distribution function of the standard
// normal distribution at input. input is floating-point and of any shape. It panics
// with ErrValue for an unknown [Approximate] and with ErrDType for integers.
// Follows torch.nn.functional.gelu.
func GELU(input *torch.Tensor, opts ...GELUOption) *torch.Tensor {
	const op = "GELU(input)"
	approximate := ApproximateNone
	for _, o := range opts {
		switch o := o.(type) {
		case Approximate:
			if o != ApproximateNone && o != ApproximateTanh {
				panic(torch.NewError(op, torch.ErrValue, "Approximate",
					"expected none or tanh, got "+strconv.Quote(string(o))))
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

// GLU splits input along Dim, by default the last dimension, into two halves a and b, and
// returns a * sigmoid(b). It panics with ErrShape if the size is odd and with ErrIndex
// for a dimension that input does not have. Follows torch.nn.functional.glu.
func GLU(input *torch.Tensor, dim ...Dim) *torch.Tensor {
	const op = "GLU(input)"
	along := int64(lastOption(dim, -1))
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Glu(r.Ctx, h, along))
}

// A SoftplusOption is [Beta] or [WithThreshold].
type SoftplusOption interface{ opt.SoftplusFunc }

// Softplus returns log(1 + exp(Beta * input)) / Beta, and input itself where Beta *
// input exceeds WithThreshold, for floating-point input. It panics as [ReLU] does.
// Follows torch.nn.functional.softplus.
func Softplus(input *torch.Tensor, opts ...SoftplusOption) *torch.Tensor {
	const op = "Softplus(input)"
	beta, threshold := opt.Read2(op, opts, Beta(1), WithThreshold(20))
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Softplus(r.Ctx, h, float(beta), float(threshold)))
}

// A ShrinkOption is an option of [Hardshrink] and [Softshrink]: [Lambd].
type ShrinkOption interface{ opt.ShrinkFunc }

func readLambd(op string, opts []ShrinkOption) float64 {
	return float64(opt.Read(op, opts, Lambd(0.5)))
}

// Hardshrink returns floating-point input with the values between -Lambd and Lambd
// replaced by 0. It panics as [ReLU] does. Follows torch.nn.functional.hardshrink.
func Hardshrink(input *torch.Tensor, opts ...ShrinkOption) *torch.Tensor {
	const op = "Hardshrink(input)"
	lambd := readLambd(op, opts)
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Hardshrink(cx, h, float(lambd)) }, input)
}

// Softshrink moves each element of floating-point input towards 0 by Lambd, but not
// past 0. It panics with ErrValue for a negative Lambd, and otherwise as [ReLU] does.
// Follows torch.nn.functional.softshrink.
func Softshrink(input *torch.Tensor, opts ...ShrinkOption) *torch.Tensor {
	const op = "Softshrink(input)"
	lambd := readLambd(op, opts)
	if !(lambd >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "Lambd", fmt.Sprintf("expected no negative number, got %v", lambd)))
	}
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Softshrink(cx, h, float(lambd)) }, input)
}
