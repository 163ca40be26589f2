package torch

import (
	"errors"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// The functions in this file are for packages that build on this one, such as nn.

// HandleFor is [Tensor.Handle] for argument number arg of op, so that the error
// names the argument. It panics with an *Error of kind ErrNil or ErrClosed.
func (t *Tensor) HandleFor(op string, arg int) abi.Tensor { return t.handle(op, arg) }

// OptionalHandleFor is [Tensor.HandleFor], but returns zero for a nil Tensor.
// It panics with an *Error of kind ErrClosed for a closed one.
func (t *Tensor) OptionalHandleFor(op string, arg int) abi.Tensor {
	if t == nil {
		return 0
	}
	return t.handle(op, arg)
}

// NewError returns an Error for packages that check arguments themselves. op
// names the operator, arg the argument, and kind is one of the Err variables.
func NewError(op string, kind error, arg, message string) *Error {
	return argError(op, kind, arg, message)
}

// NilFunc returns the error of kind ErrNil for a nil function passed to op as
// arg.
func NilFunc(op, arg string) *Error { return argError(op, ErrNil, arg, "a nil function") }

// WrapError converts err for functions that cannot return an error, such as the
// Get method of a dataset that reads files; op panics with the result. The
// *Error has err's kind if err is or wraps an *Error, and ErrRuntime otherwise.
// Its Unwrap returns err. WrapError returns nil for a nil err.
func WrapError(op string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Op: op, Kind: ErrRuntime, Message: err.Error(), value: err}
	var inner *Error
	if errors.As(err, &inner) {
		e.Kind, e.Memory = inner.Kind, inner.Memory
	}
	return e
}

// BadOption returns the error for an invalid option of op: of kind ErrNil for
// nil, and ErrValue for a type that embeds or points to an option. It keeps no
// reference to the option.
func BadOption(op string, option any) *Error { return badOption(op, option) }
