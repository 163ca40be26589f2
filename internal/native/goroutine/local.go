package goroutine

import (
	"sync"
	"sync/atomic"
)

// Local holds a *T for each goroutine that has set one. Buckets are read without a lock:
// a goroutine looks for its own entry only, which nobody else changes. The zero Local is
// ready to use. It is not to be copied.
type Local[T any] struct {
	buckets [localBuckets]bucket[T]
}

const localBuckets = 256

type bucket[T any] struct {
	head atomic.Pointer[entry[T]]
	mu   sync.Mutex // for changes to the chain
	_    [40]byte
}

// entry is immutable once published.
type entry[T any] struct {
	id   uintptr
	v    *T
	next *entry[T]
}

func (l *Local[T]) of(id uintptr) *bucket[T] {
	// A g is a few hundred bytes, so its low bits say nothing.
	return &l.buckets[(id>>9^id>>17)%localBuckets]
}

// Get returns what the running goroutine has set, or nil.
func (l *Local[T]) Get() *T { return l.lookup(ID()) }

func (l *Local[T]) lookup(id uintptr) *T {
	for e := l.of(id).head.Load(); e != nil; e = e.next {
		if e.id == id {
			return e.v
		}
	}
	return nil
}

// Set sets v for the running goroutine, which has set nothing so far. It has to Delete it
// before it ends: another goroutine may get its ID.
func (l *Local[T]) Set(v *T) {
	id := ID()
	b := l.of(id)
	b.mu.Lock()
	b.head.Store(&entry[T]{id: id, v: v, next: b.head.Load()})
	b.mu.Unlock()
}

// Delete forgets what the running goroutine has set.
func (l *Local[T]) Delete() {
	id := ID()
	b := l.of(id)
	b.mu.Lock()
	b.head.Store(b.head.Load().without(id))
	b.mu.Unlock()
}

// without returns the chain less the entry of a goroutine. Entries in front of it are
// copied, since readers may stand on them.
func (e *entry[T]) without(id uintptr) *entry[T] {
	if e.id == id {
		return e.next
	}
	return &entry[T]{id: e.id, v: e.v, next: e.next.without(id)}
}
