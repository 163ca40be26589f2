package dlpack

import (
	"context"
	"sync"

	native "github.com/gotorch/gotorch/cgotorch/dlpack"
	"github.com/gotorch/gotorch/internal/native/callback"
)

// One of our structs may have been the last over foreign memory, or a Go slice. Its taker
// cannot call Go in another way.
func init() { native.Released = callback.Sweep }

// deleters are the pending deleters of other libraries. A deleter may wait for a lock
// whose owner waits for the goroutine that closed the tensor, so it runs on a separate
// goroutine, which ends when none is left.
var deleters struct {
	mu   sync.Mutex
	due  []native.Struct
	done chan struct{} // closed when none is left; nil if none is pending
}

// release schedules the deleter. It implements callback.Releaser, for held memory.
func (h held) release() {
	if h.At == nil {
		return
	}
	if h.own { // ours does not wait
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

// Flush waits until the deleters of all unused structs have been called, or until ctx is
// done, and then returns its error. Call it before the other library ends, for example by
// Py_Finalize, and in tests. Tensors that are only unreachable count once they are
// collected. The caller must not hold a lock that a deleter waits for: Python's
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
