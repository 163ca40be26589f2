package distributed

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/trace"
	"github.com/gotorch/gotorch/torch"
)

// longestWait is the longest time that libtorch can add to the current time in
// nanoseconds without overflow. Longer waits would end immediately.
const longestWait = 100 * 365 * 24 * time.Hour

// timeLimit returns the time that an operation may take: the time until the context's deadline or,
// without a deadline, the timeout.
func timeLimit(ctx context.Context, op string, timeout time.Duration) (time.Duration, error) {
	if ctx == nil {
		return 0, argumentError(op, torch.ErrNil, "ctx", "is nil")
	}
	if err := ctx.Err(); err != nil {
		return 0, contextError(op, err)
	}
	if end, ok := ctx.Deadline(); ok {
		return min(max(time.Until(end), time.Millisecond), longestWait), nil
	}
	return min(timeout, longestWait), nil
}

// goRecovering runs fn on a new goroutine. If fn panics, goRecovering recovers and passes the panic
// to broken.
func goRecovering(fn func(), broken func(p any)) {
	go func() {
		defer func() {
			if p := recover(); p != nil {
				broken(p)
			}
		}()
		fn()
	}()
}

// endBroken ends the group because of a panic on one of its goroutines.
func (g *ProcessGroup) endBroken(p any) { g.endGroup(g.panicError(p)) }

// panicError returns the error for a panic on a goroutine of the group.
func (g *ProcessGroup) panicError(p any) *Error {
	return &Error{
		Op: "distributed.ProcessGroup", Kind: ErrNetwork, Rank: g.rank, World: len(g.ranks),
		Detail: fmt.Sprintf("panic: %.200v\n%s", p, debug.Stack()),
	}
}

// recoverTo recovers a panic of a goroutine that others wait for, ends the group and sets err. It
// must be deferred.
func (g *ProcessGroup) recoverTo(err *error) {
	if p := recover(); p != nil {
		e := g.panicError(p)
		g.endGroup(e)
		*err = e
	}
}

// mostOverrun is how far native code may exceed its time limit: some of its steps restart the
// limit, and some have none.
const mostOverrun = 500 * time.Millisecond

// abandonableFor is abandonable with a time limit. If native code exceeds the limit, abandonableFor
// returns and leaves it running.
func abandonableFor(ctx context.Context, left time.Duration, op string, fn func() error, undo func()) error {
	limited, cancel := context.WithTimeout(ctx, left+mostOverrun)
	defer cancel()
	err := abandonable(limited, op, fn, undo)
	var e *Error
	if errors.As(err, &e) && errors.Is(e.Err, context.DeadlineExceeded) && ctx.Err() == nil {
		e.Err, e.Detail = nil, fmt.Sprintf("no answer within %v", left.Round(time.Millisecond))
	}
	return err
}

// abandonable calls fn, which waits in native code without a context. If the context ends
// first, abandonable returns an error immediately. If fn succeeds later, abandonable
// calls undo.
func abandonable(ctx context.Context, op string, fn func() error, undo func()) error {
	if ctx.Done() == nil {
		return fn()
	}
	done := make(chan error, 1)
	trace.Go(func() { done <- fn() })
	select {
	case err := <-done:
		var e *Error
		if errors.As(err, &e) && errors.Is(e.Kind, ErrTimeout) && ctx.Err() != nil {
			e.Err = ctx.Err()
		}
		return err
	case <-ctx.Done():
		go func() {
			if <-done == nil {
				undo()
			}
		}()
		return contextError(op, ctx.Err())
	}
}

// onCallersStreams returns a function that runs fn on another goroutine with the current CUDA device
// and streams of this one. Gloo and NCCL wait for the work on the current streams before they read
// a tensor.
func onCallersStreams(op string) func(fn func()) {
	now := modes.Current()
	own := modes.Modes{Device: now.Device, StreamCount: now.StreamCount, Streams: now.Streams}
	if own == (modes.Modes{}) {
		return func(fn func()) { fn() }
	}
	return func(fn func()) { modes.With(op, &own, fn) }
}
