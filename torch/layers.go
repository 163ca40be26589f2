package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/goroutine"
)

// What package nn needs of a Tensor and most programs do not.

// HandleFor is Handle for argument number arg of op, named as for [BeginRaw],
// so that a nil or closed tensor is reported as that argument.
func (t *Tensor) HandleFor(op string, arg int) abi.Tensor { return t.handle(op, arg) }

// OptionalHandleFor is HandleFor with a nil Tensor allowed, which gives zero.
func (t *Tensor) OptionalHandleFor(op string, arg int) abi.Tensor {
	if t == nil {
		return 0
	}
	return t.handle(op, arg)
}

// Release closes t if the innermost scope of the goroutine owns it, and does
// nothing otherwise: a container of layers is done with what one layer handed
// to the next, but must not close a tensor that lives elsewhere.
func Release(t *Tensor) {
	if t == nil || t.scope == nil {
		return
	}
	if st := current(); st != nil && st.scope == t.scope {
		_ = t.Close()
	}
}

// NewError returns an Error that was noticed outside libtorch, for packages
// that check arguments of their own. op names the operator, arg the argument
// and kind is one of the Err variables.
func NewError(op string, kind error, arg, message string) *Error {
	return argError(op, kind, arg, message)
}

// Disown takes t out of every scope, so that it lives until it is closed or
// collected, and returns it. Modules do this with their parameters. It panics
// with ErrValue if t belongs to a scope of another goroutine.
func Disown(t *Tensor) *Tensor {
	if t == nil || t.scope == nil || t.IsClosed() {
		return t
	}
	if t.scope.owner != goroutine.ID() {
		panic(argError("Disown", ErrValue, "t", "the tensor belongs to a scope of another goroutine"))
	}
	t.scope.remove(t)
	t.ownByCollector()
	return t
}
