// Package nninit fills parameters with their first values, as torch.nn.init.
// The folder bears PyTorch's name, init; a Go package cannot.
//
// Every function changes its tensor in place, outside the autograd graph, and
// returns it. Random numbers come from the device's default generator, or the
// one given, in PyTorch's order: the same seed gives the same parameters. All
// panic with a *torch.Error: ErrNil or ErrClosed for an unusable tensor,
// ErrShape for one with too few dimensions, ErrValue for other arguments.
package nninit

import (
	"fmt"
	"math"
	"runtime"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// inPlace calls an operator that overwrites t without recording it.
func inPlace(op string, t *torch.Tensor, f func(cx abi.Ctx, h abi.Tensor) abi.Status) *torch.Tensor {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	r.Status(f(r.Ctx|abi.CtxNoGrad, h), t)
	return t
}

func generator(g []*torch.Generator) abi.Generator {
	if len(g) == 0 {
		return 0
	}
	return g[0].Handle()
}

// Uniform_ draws from [lo, hi); PyTorch's defaults are 0 and 1.
func Uniform_(t *torch.Tensor, lo, hi float64, g ...*torch.Generator) *torch.Tensor {
	gen := generator(g)
	defer runtime.KeepAlive(g)
	return inPlace("Uniform_(tensor)", t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Uniform_(cx, h, lo, hi, gen)
	})
}

// Normal_ draws from the normal distribution; PyTorch's defaults are mean 0
// and standard deviation 1.
func Normal_(t *torch.Tensor, mean, std float64, g ...*torch.Generator) *torch.Tensor {
	gen := generator(g)
	defer runtime.KeepAlive(g)
	return inPlace("Normal_(tensor)", t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Normal_(cx, h, mean, std, gen)
	})
}

// TruncNormal_ draws from the normal distribution cut to [a, b]; PyTorch's
// defaults are mean 0, standard deviation 1 and the range [-2, 2].
func TruncNormal_(t *torch.Tensor, mean, std, a, b float64, g ...*torch.Generator) *torch.Tensor {
	const op = "TruncNormal_(tensor)"
	gen := generator(g)
	defer runtime.KeepAlive(g)
	cdf := func(x float64) float64 { return (1 + math.Erf(x/math.Sqrt(2))) / 2 }
	lo, hi := cdf((a-mean)/std), cdf((b-mean)/std)
	steps := []func(cx abi.Ctx, h abi.Tensor) abi.Status{
		func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Uniform_(cx, h, 2*lo-1, 2*hi-1, gen) },
		aten.Erfinv_,
		func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Mul_Scalar(cx, h, float(std*math.Sqrt(2))) },
		func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Add_Scalar(cx, h, float(mean), integer(1)) },
		func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Clamp_(cx, h, float(a), float(b)) },
	}
	for _, f := range steps {
		inPlace(op, t, f)
	}
	return t
}

// Constant_ sets every element to value.
func Constant_(t *torch.Tensor, value float64) *torch.Tensor {
	return inPlace("Constant_(tensor)", t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.Fill_Scalar(cx, h, float(value))
	})
}

// Ones_ sets every element to 1.
func Ones_(t *torch.Tensor) *torch.Tensor { return Constant_(t, 1) }

// Zeros_ sets every element to 0.
func Zeros_(t *torch.Tensor) *torch.Tensor { return inPlace("Zeros_(tensor)", t, aten.Zero_) }

// Eye_ makes a matrix the identity, with zeros where it is not square.
func Eye_(t *torch.Tensor) *torch.Tensor {
	const op = "Eye_(tensor)"
	s := shapeOf(op, t, 2)
	if len(s) != 2 {
		panic(torch.NewError(op, torch.ErrShape, "tensor", fmt.Sprintf("expected a matrix, got size %v", s)))
	}
	return inPlace(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Status {
		return aten.EyeMOut(cx, s[0], s[1], h)
	})
}

func shapeOf(op string, t *torch.Tensor, least int) torch.Shape {
	t.HandleFor(op, 0)
	s := t.Shape()
	if len(s) < least {
		panic(torch.NewError(op, torch.ErrShape, "tensor", fmt.Sprintf("expected at least %d dimensions, got size %v", least, s)))
	}
	return s
}

// Fans returns how many inputs reach an output of a weight and how many
// outputs an input reaches: weights are (out, in, *kernel).
func Fans(t *torch.Tensor) (in, out int64) {
	s := shapeOf("Fans(tensor)", t, 2)
	field := int64(1)
	for _, d := range s[2:] {
		field *= d
	}
	return s[1] * field, s[0] * field
}

func float(v float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: v} }
func integer(v int64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarInt, I: v} }
