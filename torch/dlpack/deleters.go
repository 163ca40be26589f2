package dlpack

import (
	"context"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// A struct of ours may have been the last over foreign memory, or a Go slice. Its taker
// has no other way into Go.
func init() { native.Released = callback.Sweep }

// deleters are those of other libraries that are due. A deleter may wait for a lock whose
// owner waits for whatever goroutine closed the tensor, so it runs on one of its own, which
// ends when none is left.
var deleters struct {
	mu   sync.Mutex
	due  []native.Struct
	done chan struct{} // closed when none is left; nil while none is due
}

// release has the deleter called. It implements callback.Releaser, for held memory.
func (h held) release() {
	if h.At == nil {
		return
	}
	if h.own { // ours wait for nobody
		h.Delete()
		return
	}
	deleters.mu.Lock()
	defer deleters.mu.Unlock()
	deleters.due = append(deleters.due, h.Struct)
	if deleters.done == nil {
		deleters.done = make(chan struct{})
		go callDeleters()
	}
}

func callDeleters() {
	for {
		deleters.mu.Lock()
		due := deleters.due
		deleters.due = nil
		if len(due) == 0 {
			close(deleters.done)
			deleters.done = nil
			deleters.mu.Unlock()
			return
		}
		deleters.mu.Unlock()
		for _, s := range due {
			s.Delete()
		}
	}
}

// Flush waits until the deleters of all structs that nothing uses any more have been
// called, or until ctx is done, whose error it returns then. Programs need it before the
// other library ends, as by Py_Finalize, and in tests. Tensors that only the garbage
// collector knows count once they are collected. Who calls it may not hold a lock that a
// deleter waits for: Python's ctypes.CDLL gives Python's lock back for the call,
// ctypes.PyDLL does not.
func Flush(ctx context.Context) error {
	callback.Sweep()
	deleters.mu.Lock()
	done := deleters.done
	deleters.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
