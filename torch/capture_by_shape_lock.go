package torch

import "github.com/gotorch/gotorch/internal/native/goroutine"

// lock waits until no other goroutine uses the graphs. It panics if they are
// nil, zero or closed.
func (s *Graphs) lock(op string) {
	if s == nil || s.fn == nil {
		panic(&Error{Op: op, Kind: ErrNil, Message: "the graphs are nil, or CaptureByShape did not make them"})
	}
	if !s.enter() {
		panic(&Error{Op: op, Kind: ErrRuntime, Message: "the step calls itself"})
	}
	if s.closed {
		s.unlock()
		panic(&Error{Op: op, Kind: ErrClosed, Message: "the graphs are closed"})
	}
}

// enter waits until no other goroutine is in a step, and returns true; the
// caller must then unlock. Inside the step itself it returns false.
func (s *Graphs) enter() bool {
	me := goroutine.ID()
	if !s.mu.TryLock() {
		if s.user.Load() == me {
			return false
		}
		s.mu.Lock()
	}
	s.user.Store(me)
	return true
}

func (s *Graphs) unlock() {
	s.user.Store(0)
	s.mu.Unlock()
}
