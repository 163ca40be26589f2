package goroutine

import (
	"sync"
	"sync/atomic"
)

// Local holds a *T for each goroutine that has set one. Readers need no lock: a goroutine
// looks only for its own entry, which no other goroutine changes. The zero Local is ready
// to use. A Local must not be copied.
type Local[T any] struct {
	buckets [localBuckets]bucket[T]
}

const localBuckets = 256

type bucket[T any] struct {
	head atomic.Pointer[entry[T]]
	mu   sync.Mutex // locked to change the chain
	_    [40]byte
}

// An entry does not change after other goroutines can see it.
type entry[T any] struct {
	id   uintptr
	v    *T
	next *entry[T]
}

func (l *Local[T]) of(id uintptr) *bucket[T] {
	// A g is a few hundred bytes long, so the low bits of its address carry no
	// information.
	return &l.buckets[(id>>9^id>>17)%localBuckets]
}

// Get returns the current goroutine's value, or nil.
func (l *Local[T]) Get() *T { return l.lookup(ID()) }

func (l *Local[T]) lookup(id uintptr) *T {
	for e := l.of(id).head.Load(); e != nil; e = e.next {
		if e.id == id {
			return e.v
		}
	}
	return nil
}

// Set sets the value of the running goroutine, which must not have one. The goroutine
// must call Delete before it ends, because another goroutine may get its ID.
func (l *Local[T]) Set(v *T) {
	id := ID()
	b := l.of(id)
	b.mu.Lock()
	b.head.Store(&entry[T]{id: id, v: v, next: b.head.Load()})
	b.mu.Unlock()
}

// Delete removes the current goroutine's value.
func (l *Local[T]) Delete() {
	id := ID()
	b := l.of(id)
	b.mu.Lock()
	b.head.Store(b.head.Load().without(id))
	b.mu.Unlock()
}

// without returns the chain without one goroutine's entry. It copies the entries before
// that entry, because other goroutines may be reading them.
func (e *entry[T]) without(id uintptr) *entry[T] {
	if e.id == id {
		return e.next
	}
	return &entry[T]{id: e.id, v: e.v, next: e.next.without(id)}
}
