// Package functional has the functions that layers are made of, as
// torch.nn.functional. By convention it is imported as F:
//
//	import F "github.com/gotorch/gotorch/nn/functional"
//
//	loss := F.CrossEntropy(F.ReLU(F.Linear(x, weight, bias)), target, F.LabelSmoothing(0.1))
//
// What Python passes by keyword is an option: a small value under PyTorch's
// name, at the end of the call, with Python's default. If an option is given
// twice, the last one counts. A nil option is ErrNil. An option that does not
// apply does not compile.
//
// Every function returns a new tensor that shares no memory with its arguments,
// unless its comment says otherwise. The tensor belongs to the innermost scope
// or to the collector. No temporaries are left behind. A function panics with a
// *torch.Error: ErrNil or ErrClosed for a nil or closed tensor, ErrShape,
// ErrDType, ErrDevice or ErrValue for arguments that do not fit, ErrDType too for a
// dtype for which libtorch has no kernel, and ErrNotImplemented for a device or a
// layout for which it has none. In that case it has done nothing.
package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/torch"
)

type unaryFunc = func(abi.Ctx, abi.Tensor) abi.Ret

func unary(op string, f unaryFunc, x *torch.Tensor) *torch.Tensor {
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op, x)
	return r.Tensor(f(r.Ctx, h))
}

// unary_ calls an operator that changes x, and returns x.
func unary_(op string, f func(abi.Ctx, abi.Tensor) abi.Status, x *torch.Tensor) *torch.Tensor {
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op, x)
	r.Status(f(r.Ctx, h))
	return x
}

// last is unary for the last use of x, which it closes.
func last(op string, x *torch.Tensor, f unaryFunc) *torch.Tensor {
	defer func() { _ = x.Close() }()
	return unary(op, f, x)
}

func float(v float64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarFloat, D: v} }
func integer(v int64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarInt, I: v} }

// given returns p, or nil if the option that it holds was left out.
func given[T any](ok bool, p *T) *T {
	if ok {
		return p
	}
	return nil
}
