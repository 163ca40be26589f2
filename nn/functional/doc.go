// Package functional provides the functions that the layers of package nn use, as
// torch.nn.functional does. By convention it is imported as F:
//
//	import F "github.com/gotorch/gotorch/nn/functional"
//
//	loss := F.CrossEntropy(F.ReLU(F.Linear(x, weight, bias)), target, F.LabelSmoothing(0.1))
//
// Options at the end of a call stand for Python's keyword arguments. They have PyTorch's
// names and defaults. If an option is given twice, the last one counts. An option that
// the function does not accept does not compile.
//
// Every function returns a new tensor that shares no memory with its arguments, unless
// its comment says otherwise. The tensor belongs to the innermost scope; outside any
// scope, the garbage collector frees it. Functions leave no temporaries behind.
//
// A function that fails panics with a *torch.Error and changes nothing. The kinds of
// error are ErrNil for a nil tensor or option, ErrClosed for a closed tensor, and
// ErrShape, ErrDType, ErrDevice or ErrValue for invalid arguments. ErrDType also means
// that libtorch has no kernel for the dtype, and ErrNotImplemented that it has none for
// the device or layout.
//
// A function whose name ends in _ works in place: it modifies input and returns it, as
// inplace=True does in Python. The input must have the dtype of the result: the function
// panics with ErrDType for integers if the result is floating-point. Outside NoGrad it
// panics with ErrAutograd for a leaf that requires gradients.
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

// unary_ calls an in-place operator on x and returns x.
func unary_(op string, f func(abi.Ctx, abi.Tensor) abi.Status, x *torch.Tensor) *torch.Tensor {
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op, x)
	r.Status(f(r.Ctx, h))
	return x
}

// unaryClosing calls unary and closes x, which must not be used afterwards.
func unaryClosing(op string, x *torch.Tensor, f unaryFunc) *torch.Tensor {
	defer func() { _ = x.Close() }()
	return unary(op, f, x)
}

func float[T ~float64](v T) abi.Scalar {
	return abi.Scalar{Kind: abi.ScalarFloat, D: float64(v)}
}

func integer(v int64) abi.Scalar { return abi.Scalar{Kind: abi.ScalarInt, I: v} }

// orNil returns p if ok is true, and nil otherwise.
func orNil[T any](ok bool, p *T) *T {
	if ok {
		return p
	}
	return nil
}
