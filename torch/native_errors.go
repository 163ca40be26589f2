package torch

import (
	"errors"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// What package nn needs of a Tensor and most programs do not.

// HandleFor is Handle for argument number arg of op, named as for [BeginRaw],
// so that a nil or closed tensor is reported as that argument. It panics with
// an *Error of kind ErrNil or ErrClosed.
func (t *Tensor) HandleFor(op string, arg int) abi.Tensor { return t.handle(op, arg) }

// OptionalHandleFor is HandleFor with a nil Tensor allowed, which gives zero.
// It panics with an *Error of kind ErrClosed for a closed one.
func (t *Tensor) OptionalHandleFor(op string, arg int) abi.Tensor {
	if t == nil {
		return 0
	}
	return t.handle(op, arg)
}

// NewError returns an Error that was noticed outside libtorch, for packages
// that check arguments of their own. op names the operator, arg the argument
// and kind is one of the Err variables.
func NewError(op string, kind error, arg, message string) *Error {
	return argError(op, kind, arg, message)
}

// NilFunc returns the error of kind ErrNil for a nil function that op was given
// as arg, for packages that take functions of their own.
func NilFunc(op, arg string) *Error { return argError(op, ErrNil, arg, "a nil function") }

// WrapError returns err as what op panics with, for functions that have no error to
// return, such as the Get of a dataset that reads files: an *Error of err's kind if
// err is or wraps an *Error, else of kind ErrRuntime. Its Unwrap is err, so that
// errors.Is and errors.As find the cause. It returns nil for a nil err, so that a
// function can end with it.
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

// BadOption returns the error for an option that op cannot take, for packages
// with options of their own: of kind ErrNil for nil, and ErrValue for a type that
// only looks like an option since it embeds or points to one. It keeps nothing of
// the option.
func BadOption(op string, option any) *Error { return badOption(op, option) }
