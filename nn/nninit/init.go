// Package nninit sets the initial values of parameters, as torch.nn.init does.
//
// Every function modifies its tensor in place, without recording in the autograd graph, and returns
// it. Random numbers come from the device's default generator, or from the [Generator] option, in
// PyTorch's order: the same seed gives the same parameters.
//
// All functions panic with a *torch.Error: ErrNil for a nil tensor or option,
// ErrClosed for a closed tensor, ErrShape for a tensor with too few dimensions, and
// ErrValue for other invalid arguments.
package nninit

import (
	"fmt"
	"math"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// modify calls an operator that overwrites t, without recording it. The tensors in others stay
// alive during the call.
func modify(op string, t *torch.Tensor, f func(cx abi.Ctx, h abi.Tensor) abi.Status,
	others ...*torch.Tensor,
) *torch.Tensor {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	r.Use(others...)
	r.Status(f(r.Ctx|abi.CtxNoGrad, h))
	return t
}

// Uniform_ draws from [lo, hi). PyTorch's defaults are 0 and 1. It panics with ErrValue if hi is
// less than lo. Follows torch.nn.init.uniform_.
func Uniform_(t *torch.Tensor, lo, hi float64, opts ...Option) *torch.Tensor {
	return uniform("Uniform_(t)", t, lo, hi, readGenerator("Uniform_", opts))
}

func uniform(op string, t *torch.Tensor, lo, hi float64, g *torch.Generator) *torch.Tensor {
	defer runtime.KeepAlive(g)
	from := g.Handle()
	return modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Uniform_(cx, h, lo, hi, from)
	})
}

// Normal_ draws from the normal distribution; PyTorch's defaults are mean 0
// and standard deviation 1. It panics with ErrValue for a negative std.
// Follows torch.nn.init.normal_.
func Normal_(t *torch.Tensor, mean, std float64, opts ...Option) *torch.Tensor {
	return normal("Normal_(t)", t, mean, std, readGenerator("Normal_", opts))
}

func normal(op string, t *torch.Tensor, mean, std float64, g *torch.Generator) *torch.Tensor {
	defer runtime.KeepAlive(g)
	from := g.Handle()
	return modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Normal_(cx, h, mean, std, from)
	})
}

// TruncNormal_ draws from a normal distribution that is truncated to a range. Its options are the
// mean [Mean], 0 by default, the standard deviation [Std], 1 by default, and the limits [A] and
// [B], -2 and 2 by default. It panics with ErrDType unless t is floating-point, and otherwise as
// [Constant_] does. Follows torch.nn.init.trunc_normal_.
func TruncNormal_(t *torch.Tensor, opts ...TruncNormalOption) *torch.Tensor {
	const op = "TruncNormal_(t)"
	mean, std, a, b := 0.0, 1.0, -2.0, 2.0
	var g *torch.Generator
	for _, o := range opts {
		switch o := o.(type) {
		case Mean:
			mean = float64(o)
		case Std:
			std = float64(o)
		case A:
			a = float64(o)
		case B:
			b = float64(o)
		case GeneratorOption:
			g = o.g
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if mean < a-2*std || mean > b+2*std {
		cgotorch.Warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may " +
			"be incorrect.")
	}
	defer runtime.KeepAlive(g)
	cdf := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt(2))) / 2 }
	lo, hi := cdf((a-mean)/std), cdf((b-mean)/std)
	from := g.Handle()
	modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Uniform_(cx, h, 2*lo-1, 2*hi-1, from) })
	modify(op, t, aten.Erfinv_)
	torch.NoGrad(func() { t.MulScalar_(std * math.Sqrt(2)) })
	modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Add_Scalar(cx, h, float(mean), integer(1)) })
	return modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Clamp_(cx, h, float(a), float(b)) })
}

// Constant_ sets every element to value. It panics with ErrNil or ErrClosed for a nil
// or closed t. Follows torch.nn.init.constant_.
func Constant_(t *torch.Tensor, value float64) *torch.Tensor {
	return modify("Constant_(t)", t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Fill_Scalar(cx, h, float(value))
	})
}

// Ones_ sets every element to 1. It panics as [Constant_] does.
// Follows torch.nn.init.ones_.
func Ones_(t *torch.Tensor) *torch.Tensor { return Constant_(t, 1) }

// Zeros_ sets every element to 0. It panics as [Constant_] does.
// Follows torch.nn.init.zeros_.
func Zeros_(t *torch.Tensor) *torch.Tensor { return modify("Zeros_(t)", t, aten.Zero_) }

// Eye_ sets a matrix to the identity. If the matrix is not square, the rest is zeros. It panics
// with ErrShape for anything but a matrix. Follows torch.nn.init.eye_.
func Eye_(t *torch.Tensor) *torch.Tensor {
	const op = "Eye_(t)"
	s := shapeOf(op, t, 2)
	if len(s) != 2 {
		panic(torch.NewError(op, torch.ErrShape, "t", fmt.Sprintf("expected a matrix, got size %v", s)))
	}
	return modify(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.EyeMOut(cx, s[0], s[1], h)
	})
}

func shapeOf(op string, t *torch.Tensor, least int) torch.Shape {
	t.HandleFor(op, 0)
	s := t.Shape()
	if len(s) < least {
		panic(torch.NewError(op, torch.ErrShape, "t",
			fmt.Sprintf("expected at least %d dimensions, got size %v", least, s)))
	}
	return s
}

// Fans returns the fan in of a weight, the number of inputs of each output, and its fan
// out, the number of outputs of each input. The weight has shape (out, in, *kernel). Fans
// panics with ErrShape for fewer than two dimensions and with ErrNil or ErrClosed for a
// nil or closed t.
func Fans(t *torch.Tensor) (in, out int64) {
	return fans("Fans(t)", t)
}

func fans(op string, t *torch.Tensor) (in, out int64) {
	s := shapeOf(op, t, 2)
	field := int64(1)
	for _, d := range s[2:] {
		field *= d
	}
	return s[1] * field, s[0] * field
}

func float(v float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: v} }
func integer(v int64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarInt, I: v} }
