package dlpack

import (
	"context"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// When the taker of one of our structs frees it, the foreign memory or Go slice behind the
// tensor may become unused. The taker does not tell Go, so native code calls Sweep, which
// releases unused memory.
func init() { native.Released = callback.Sweep }

// deleters are the pending deleters of other libraries. A deleter may wait for a lock
// whose owner waits for the goroutine that closed the tensor, so it runs on a separate
// goroutine. That goroutine ends when no deleters are left.
var deleters struct {
	mu   sync.Mutex
	due  []native.Struct
	done chan struct{} // closed when no deleters are left; nil if none are pending
}

// release schedules the deleter. It implements callback.Releaser, for held memory.
func (h held) release() {
	if h.At == nil {
		return
	}
	if h.own { // our own deleters do not wait
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

// Flush waits until the deleters of all unused structs have been called. If ctx ends
// first, Flush returns its error. Call Flush before the other library ends, for example
// by Py_Finalize, and in tests. Deleters of unreachable tensors count only after a
// garbage collection. The caller must not hold a lock that a deleter waits for: Python's
// ctypes.CDLL releases Python's lock for the call, ctypes.PyDLL does not.
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
