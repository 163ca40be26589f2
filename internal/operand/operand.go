// Package operand calls native operators on tensors, for the packages next to torch:
// torch/aten, torch/special, torch/linalg and so on. It corresponds to call.go and
// results.go of package torch.
//
// The parameter op is always the operator's name with the names of its tensor arguments,
// as in "special.Zeta(input, other)", for errors. If a tensor is nil or closed, the
// functions panic with ErrNil or ErrClosed and name the argument. Results are owned by
// the innermost scope or else by the garbage collector. The functions passed in run while
// the goroutine holds a slot in native code, and must not panic.
package operand

import (
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

type (
	// UnaryFunc is a native operator on one tensor.
	UnaryFunc = func(abi.Ctx, abi.Tensor) abi.Ret
	// BinaryFunc is a native operator on two tensors.
	BinaryFunc = func(_ abi.Ctx, _, _ abi.Tensor) abi.Ret
	// TernaryFunc is a native operator on three tensors.
	TernaryFunc = func(_ abi.Ctx, _, _, _ abi.Tensor) abi.Ret
)

// Name returns op without its arguments.
func Name(op string) string {
	name, _, _ := strings.Cut(op, "(")
	return name
}

// Number converts v to a native number. It panics with ErrType if v is nil or not a
// number, and with ErrValue if it is out of range.
func Number(op, arg string, v any) abi.Scalar {
	if v == nil {
		panic(torch.NewError(Name(op), torch.ErrType, arg, "expected a number, bool or complex, got nil"))
	}
	return torch.ScalarOf(op, arg, v)
}

// Unary calls an operator on one tensor.
func Unary(op string, f UnaryFunc, t *torch.Tensor) *torch.Tensor {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h))
}

// Binary calls an operator on two tensors.
func Binary(op string, f BinaryFunc, a, b *torch.Tensor) *torch.Tensor {
	ha, hb := a.HandleFor(op, 0), b.HandleFor(op, 1)
	r := torch.BeginRaw(op, a, b)
	return r.Tensor(f(r.Ctx, ha, hb))
}

// Ternary calls an operator on three tensors.
func Ternary(op string, f TernaryFunc, a, b, c *torch.Tensor) *torch.Tensor {
	ha, hb, hc := a.HandleFor(op, 0), b.HandleFor(op, 1), c.HandleFor(op, 2)
	r := torch.BeginRaw(op, a, b, c)
	return r.Tensor(f(r.Ctx, ha, hb, hc))
}

// WithNumber calls an operator on a tensor and a number. arg is the number's name in
// errors.
func WithNumber(op string, f func(abi.Ctx, abi.Tensor, abi.Scalar) abi.Ret, t *torch.Tensor, arg string,
	v any,
) *torch.Tensor {
	h, s := t.HandleFor(op, 0), Number(op, arg, v)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, h, s))
}

// NumberWith calls an operator on a number and a tensor.
func NumberWith(op string, f func(abi.Ctx, abi.Scalar, abi.Tensor) abi.Ret, arg string, v any,
	t *torch.Tensor,
) *torch.Tensor {
	h, s := t.HandleFor(op, 0), Number(op, arg, v)
	r := torch.BeginRaw(op, t)
	return r.Tensor(f(r.Ctx, s, h))
}

// Pair calls an operator that takes one tensor and has two results.
func Pair(op string, f func(abi.Ctx, abi.Tensor) ([2]abi.Tensor, abi.Status), t *torch.Tensor) (first,
	second *torch.Tensor,
) {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// Triple calls an operator that takes one tensor and has three results.
func Triple(op string, f func(abi.Ctx, abi.Tensor) ([3]abi.Tensor, abi.Status), t *torch.Tensor) (first, second,
	third *torch.Tensor,
) {
	h := t.HandleFor(op, 0)
	r := torch.BeginRaw(op, t)
	res, st := f(r.Ctx, h)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1]), r.Wrap(res[2])
}

// Whole converts v to a native number. A whole number becomes an integer, so that integer
// tensors keep their dtype.
func Whole(v float64) abi.Scalar {
	if i := int64(v); float64(i) == v && v > -1<<53 && v < 1<<53 {
		return abi.Scalar{Kind: abi.ScalarInt, I: i}
	}
	return abi.Scalar{Kind: abi.ScalarFloat, D: v}
}
