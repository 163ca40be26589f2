package batching

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// The kinds of error that a *torch.Error of this package has beside those of package
// torch, for errors.Is.
var (
	ErrClosed    = errors.New("batching: the batcher is closed") // Shutdown or Close was called before
	ErrQueueFull = errors.New("batching: the queue is full")     // with RefuseWhenFull
)

// PanicError is the error of a request whose forward pass panicked with something else
// than a *torch.Error.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // where, as debug.Stack writes it
}

// Error returns "batching: the forward pass panicked: VALUE".
func (e *PanicError) Error() string {
	return fmt.Sprintf("batching: the forward pass panicked: %v", e.Value)
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// notMade is the error of a Batcher that NewBatcher did not make.
func notMade(op string) error {
	return torch.NewError(op, torch.ErrNil, "receiver", "a Batcher without a function; NewBatcher makes one")
}

// nilContext is the error of a call without a context.
func nilContext(op string) error {
	return torch.NewError(op, torch.ErrNil, "ctx", "a nil Context")
}

// refused is an error of one of this package's kinds.
func refused(op string, kind error, message string) error {
	return &torch.Error{Op: op, Kind: kind, Message: message}
}

// left is the error of a request that its caller did not wait for.
func left(ctx context.Context, op string) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%s: %w: %w", op, ctx.Err(), cause)
	}
	return fmt.Errorf("%s: %w", op, ctx.Err())
}
