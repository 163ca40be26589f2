package goroutine

import (
	"sync"
	"sync/atomic"
)

// Mutex is a mutex that knows its holder. If a goroutine already holds it, Lock returns
// false where a [sync.Mutex] would block forever. The zero value is unlocked.
type Mutex struct {
	mu     sync.Mutex
	holder atomic.Uintptr // the goroutine that holds mu, or 0
}

// Lock locks m and returns true. If the calling goroutine already holds m, Lock returns
// false and does nothing.
func (m *Mutex) Lock() bool {
	me := ID()
	if !m.mu.TryLock() {
		if m.holder.Load() == me {
			return false
		}
		m.mu.Lock()
	}
	m.holder.Store(me)
	return true
}

// Unlock unlocks m. The goroutine that holds m must call it.
func (m *Mutex) Unlock() {
	m.holder.Store(0)
	m.mu.Unlock()
}
