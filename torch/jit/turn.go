package jit

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// turn is a lock that the goroutine that has it may take again: a hook may call the module
// whose hook it is.
type turn struct {
	mu    sync.Mutex
	owner atomic.Uintptr
}

// take waits for the lock and reports whether the goroutine had it before. give follows.
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
