package distributed

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// forever is the longest time that libtorch can add to the present in nanoseconds; longer
// waits would end at once.
const forever = 100 * 365 * 24 * time.Hour

// within returns the time limit of an operation: until the context's deadline, or without
// one the timeout.
func within(ctx context.Context, op string, timeout time.Duration) (time.Duration, error) {
	if ctx == nil {
		return 0, wrong(op, torch.ErrNil, "ctx", "is nil")
	}
	if err := ctx.Err(); err != nil {
		return 0, given(op, err)
	}
	if end, ok := ctx.Deadline(); ok {
		return min(max(time.Until(end), time.Millisecond), forever), nil
	}
	return min(timeout, forever), nil
}

// beside runs fn on a goroutine of its own. Its panic, which nobody could recover there,
// is passed to broken.
func beside(fn func(), broken func(p any)) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				broken(p)
			}
		}()
		fn()
	}()
}

// broken ends the group because of a panic on one of its goroutines.
func (g *ProcessGroup) broken(p any) { g.end(g.panicked(p)) }

// panicked returns the error for a panic on a goroutine of the group.
func (g *ProcessGroup) panicked(p any) *Error {
	return &Error{
		Op: "distributed.ProcessGroup", Kind: ErrNetwork, Rank: g.rank, World: len(g.ranks),
		Detail: fmt.Sprintf("panic: %.200v\n%s", p, debug.Stack()),
	}
}

// recovered returns the panic of a goroutine that others wait for. It must be deferred.
func (g *ProcessGroup) recovered(err *error) {
	if p := recover(); p != nil {
		e := g.panicked(p)
		g.end(e)
		*err = e
	}
}

// late is how long native code may exceed its time limit: some of its steps restart the limit, and
// some have no limit.
const late = 500 * time.Millisecond

// apartFor is apart with a time limit. Native code that exceeds it is left running.
func apartFor(ctx context.Context, left time.Duration, op string, fn func() *Error, undo func()) error {
	limited, cancel := context.WithTimeout(ctx, left+late)
	defer cancel()
	err := apart(limited, op, fn, undo)
	var e *Error
	if errors.As(err, &e) && errors.Is(e.Err, context.DeadlineExceeded) && ctx.Err() == nil {
		e.Err, e.Detail = nil, fmt.Sprintf("no answer within %v", left.Round(time.Millisecond))
	}
	return err
}

// apart calls fn, which waits in native code without a context. If the context ends first
// it returns without it, and undo is called if fn succeeds later.
func apart(ctx context.Context, op string, fn func() *Error, undo func()) error {
	if ctx.Done() == nil {
		if err := fn(); err != nil {
			return err
		}
		return nil
	}
	done := make(chan *Error, 1)
	trace.Go(func() { done <- fn() })
	select {
	case err := <-done:
		switch {
		case err == nil:
			return nil
		case errors.Is(err.Kind, ErrTimeout) && ctx.Err() != nil:
			err.Err = ctx.Err()
		}
		return err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				undo()
			}
		}()
		return given(op, ctx.Err())
	}
}
