package jit

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// turn is a reentrant lock, because a hook may call the module that it belongs to.
type turn struct {
	mu    sync.Mutex
	owner atomic.Uintptr
}

// take takes the lock, and reports whether the goroutine already had it. The caller must
// call give with the result afterwards.
func (t *turn) take() (had bool) {
	id := goroutine.ID()
	if t.owner.Load() == id {
		return true
	}
	t.mu.Lock()
	t.owner.Store(id)
	return false
}

func (t *turn) give(had bool) {
	if !had {
		t.owner.Store(0)
		t.mu.Unlock()
	}
}
