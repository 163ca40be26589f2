package torch

// lock waits until no other goroutine uses the graphs. It panics if they are nil, zero or
// closed, or if the goroutine is running their step.
func (s *Graphs) lock(op string) {
	if s == nil || s.fn == nil {
		panic(&Error{Op: op, Kind: ErrNil, Message: "the graphs are nil, or CaptureByShape did not make them"})
	}
	if !s.mu.Lock() {
		panic(&Error{Op: op, Kind: ErrRuntime, Message: "the graphs are used inside their own step"})
	}
	if s.closed {
		s.mu.Unlock()
		panic(&Error{Op: op, Kind: ErrClosed, Message: "the graphs are closed"})
	}
}
