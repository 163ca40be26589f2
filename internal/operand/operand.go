// Package operand calls native operators over tensors for the packages beside
// torch: torch/aten, torch/special, torch/linalg and their like. What package
// torch has for itself in call.go and results.go it has for them.
//
// op is everywhere the operator's name with those of its tensor arguments, as
// in "special.Zeta(input, other)", which errors name. A tensor that is nil or
// closed is an error of kind ErrNil or ErrClosed that names its argument. Results
// are owned by the innermost scope, else by the collector. The functions that are
// handed in run with a place in native code held and must not panic.
package operand

import (
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

type (
	// UnaryFunc is the shape of a native operator of one tensor.
	UnaryFunc = func(abi.Ctx, abi.Tensor) abi.Ret
	// BinaryFunc is that of one of two.
	BinaryFunc = func(_ abi.Ctx, _, _ abi.Tensor) abi.Ret
	// TernaryFunc is that of one of three.
	TernaryFunc = func(_ abi.Ctx, _, _, _ abi.Tensor) abi.Ret
)

// Name is op without its arguments.
func Name(op string) string {
	name, _, _ := strings.Cut(op, "(")
	return name
}

// Number is v as a native number. It panics with ErrType if v is none, nil
// included, and with ErrValue if it does not fit.
func Number(op, arg string, v any) abi.Scalar {
	if v == nil {
		panic(torch.NewError(Name(op), torch.ErrType, arg, "expected a number, bool or complex, got nil"))
	}
	return torch.ScalarOf(op, arg, v)
}

// Unary calls an operator of one tensor.
func Unary(op string, f UnaryFunc, t *torch.Tensor) *torch.Tensor {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h))
}

// Binary calls an operator of two tensors.
func Binary(op string, f BinaryFunc, a, b *torch.Tensor) *torch.Tensor {
	ha, hb := a.HandleFor(op, 0), b.HandleFor(op, 1)
	r := torch.BeginRaw(op, a, b)
	return r.Tensor(f(r.Ctx, ha, hb))
}

// Ternary calls an operator of three tensors.
func Ternary(op string, f TernaryFunc, a, b, c *torch.Tensor) *torch.Tensor {
	ha, hb, hc := a.HandleFor(op, 0), b.HandleFor(op, 1), c.HandleFor(op, 2)
	r := torch.BeginRaw(op, a, b, c)
	return r.Tensor(f(r.Ctx, ha, hb, hc))
}

// WithNumber calls an operator of a tensor and a number; arg is the number's name
// in errors.
func WithNumber(op string, f func(abi.Ctx, abi.Tensor, abi.Scalar) abi.Ret, t *torch.Tensor, arg string, v any) *torch.Tensor {
	h, s := t.HandleFor(op, 0), Number(op, arg, v)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h, s))
}

// NumberWith calls an operator of a number and a tensor.
func NumberWith(op string, f func(abi.Ctx, abi.Scalar, abi.Tensor) abi.Ret, arg string, v any, t *torch.Tensor) *torch.Tensor {
	h, s := t.HandleFor(op, 0), Number(op, arg, v)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, s, h))
}

// Pair calls an operator of one tensor that has two results.
func Pair(op string, f func(abi.Ctx, abi.Tensor) ([2]abi.Tensor, abi.Status), t *torch.Tensor) (first, second *torch.Tensor) {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// Triple calls an operator of one tensor that has three results.
func Triple(op string, f func(abi.Ctx, abi.Tensor) ([3]abi.Tensor, abi.Status), t *torch.Tensor) (first, second, third *torch.Tensor) {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}

// Whole is v as a native number. A whole one counts as an integer, so that it
// keeps the dtype of integer tensors.
func Whole(v float64) abi.Scalar {
	if i := int64(v); float64(i) == v && v > -1<<53 && v < 1<<53 {
		return abi.Scalar{Kind: abi.ScalarInt, I: i}
	}
	return abi.Scalar{Kind: abi.ScalarFloat, D: v}
}
