package aten

import (
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

// handle returns the native handle of t, the tensor argument at position arg of op. op
// has the form "MmOut(self, mat2, out)".
func handle(op string, arg int, t *torch.Tensor) abi.Tensor {
	if t.IsClosed() {
		unusable(op, arg, t)
	}
	return t.Handle()
}

func optional(op string, arg int, t *torch.Tensor) abi.Tensor {
	if t == nil {
		return 0
	}
	return handle(op, arg, t)
}

// unusable panics with package torch's error for a nil or closed tensor. That error takes
// the argument's name from the text of op.
//
//go:noinline
func unusable(op string, arg int, t *torch.Tensor) {
	name, list, _ := strings.Cut(strings.TrimSuffix(op, ")"), "(")
	torch.Handles(name+"("+strings.Split(list, ", ")[arg]+")", []*torch.Tensor{t}, false)
}

func opName(op string) string {
	name, _, _ := strings.Cut(op, "(")
	return name
}

func number(op, arg string, v any) abi.Scalar {
	if v == nil {
		panic(&torch.Error{
			Op: opName(op), Kind: torch.ErrType,
			Message: "argument " + arg + ": expected a number, bool or complex, got nil",
		})
	}
	return torch.ScalarOf(op, arg, v)
}

func numberOr(op, arg string, v, def any) abi.Scalar {
	if v == nil {
		v = def
	}
	return torch.ScalarOf(op, arg, v)
}

func numbers(op, arg string, vs []any) []abi.Scalar {
	list := make([]abi.Scalar, len(vs))
	for i, v := range vs {
		list[i] = number(op, arg, v)
	}
	return list
}

// or returns v, or def if v is zero.
func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

func deviceCode(d *torch.Device) int32 {
	if d == nil {
		return -1
	}
	return d.Code()
}
