package jit

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// turn is a lock that a goroutine may take again while it has the lock, because a hook may
// call the module to which it belongs.
type turn struct {
	mu    sync.Mutex
	owner atomic.Uintptr
}

// take takes the lock. had reports whether the goroutine already had it. The caller must
// pass had to give afterwards.
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
