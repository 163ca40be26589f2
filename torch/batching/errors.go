package batching

import (
	"context"
	"errors"
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// Kinds of *torch.Error in this package, in addition to those of package torch, for
// errors.Is.
var (
	ErrClosed    = errors.New("batching: the batcher is closed") // after Shutdown or Close
	ErrQueueFull = errors.New("batching: the queue is full")     // with RefuseWhenFull
)

// PanicError is the error of a request whose forward pass panicked with something other
// than a *torch.Error.
type PanicError struct {
	Value any    // the value it panicked with
	Stack []byte // the stack, as returned by debug.Stack
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

// notMade returns the error for a Batcher that was not made by a constructor.
func notMade(op string) error {
	return torch.NewError(op, torch.ErrNil, "receiver", "the Batcher was not made by NewBatcher")
}

func nilContext(op string) error {
	return torch.NewError(op, torch.ErrNil, "ctx", "a nil Context")
}

// refused returns an error of one of this package's kinds.
func refused(op string, kind error, message string) error {
	return &torch.Error{Op: op, Kind: kind, Message: message}
}

// left returns the error of a request whose caller stopped waiting.
func left(ctx context.Context, op string) error {
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%s: %w: %w", op, ctx.Err(), cause)
	}
	return fmt.Errorf("%s: %w", op, ctx.Err())
}
