// Package functional holds the functions that layers are made of, as
// torch.nn.functional. By custom it is imported as F:
//
//	import F "github.com/gotorch/gotorch/nn/functional"
//
//	loss := F.CrossEntropy(F.ReLU(F.Linear(x, weight, bias)), target)
//
// Options are structs whose zero value means PyTorch's defaults. Every
// function returns a new tensor, owned by the innermost scope as any other,
// leaves no temporary behind and panics with a *torch.Error: ErrNil or ErrClosed for
// unusable tensors, ErrShape, ErrDType, ErrDevice and ErrValue for arguments
// that do not fit.
package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

// option returns the options of a call, at most one struct.
func option[T any](op string, opts []T) T {
	var none T
	switch len(opts) {
	case 0:
		return none
	case 1:
		return opts[0]
	}
	panic(torch.NewError(op, torch.ErrValue, "opts", fmt.Sprintf("expected at most one options struct, got %d", len(opts))))
}

// ints reads an int for n directions or a slice of n of them. nil stands for
// def if there is one.
func ints(op, arg string, v any, n int, def []int64) []int64 {
	var list []int64
	switch v := v.(type) {
	case nil:
		if def != nil {
			return def
		}
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of %d, got nil", n)))
	case int:
		return repeat(int64(v), n)
	case int64:
		return repeat(v, n)
	case []int64:
		list = v
	case torch.Shape:
		list = v
	case []int:
		list = make([]int64, len(v))
		for i, x := range v {
			list[i] = int64(x)
		}
	default:
		panic(torch.NewError(op, torch.ErrType, arg, fmt.Sprintf("expected an int or a slice of %d, got %T", n, v)))
	}
	switch len(list) {
	case n:
		return list
	case 1:
		return repeat(list[0], n)
	}
	panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected one int or %d, got %v", n, list)))
}

func repeat(v int64, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// Ints reads an option that is an int for all n directions or a slice with one
// for each, as Stride or Padding: an int, int64, []int, []int64 or torch.Shape.
// nil stands for def in each direction. It panics with ErrType or ErrValue,
// naming op and arg. Layers read their options with it once.
func Ints(op, arg string, v any, n int, def int64) []int64 {
	if v == nil {
		return repeat(def, n)
	}
	return ints(op, arg, v, n, nil)
}

// Size is Ints for an argument that is not optional, such as a kernel size.
func Size(op, arg string, v any, n int) []int64 { return ints(op, arg, v, n, nil) }

var (
	ones  = []int64{1, 1, 1}
	zeros = []int64{0, 0, 0}
)

type unaryFunc = func(abi.Ctx, abi.Tensor) abi.Ret

func unary(op string, f unaryFunc, x *torch.Tensor) *torch.Tensor {
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(f(r.Ctx, h), x)
}

func float(v float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: v} }

// orDefault returns what an option points to.
func orDefault(v *float64, def float64) float64 {
	if v == nil {
		return def
	}
	return *v
}

// numberOr returns the one optional number of a call.
func numberOr(op string, v []float64, def float64) float64 {
	if len(v) == 0 {
		return def
	}
	return option(op, v)
}
