package trace

import (
	"slices"
	"sync"
	"sync/atomic"
)

// known maps a stack's return addresses to the stack's ID. The addresses also determine
// the inlined calls. Reading takes no lock and allocates nothing. Like stacks, entries
// are never removed.
var known struct {
	mu      sync.Mutex // for adding
	buckets [1 << 13]atomic.Pointer[knownStack]
}

// near is the length of Capture's array of return addresses. It is short because Capture
// must clear the array each time, and few stacks are deeper. far is the length for deeper
// stacks. It is enough for all frames that are kept, for Capture and the functions it
// calls, and for skipped frames.
const (
	near = 36
	far  = MaxDepth + 4
)

// captureFar is like Capture, for a stack of near or more addresses.
//
//go:noinline
func captureFar(skip int) ID {
	var at [far]uintptr
	n := callers(at[:])
	if n < 0 { // a C function on the stack called Go
		return capture(skip + 1)
	}
	return numberOf(at[:n], skip)
}

// numberOf returns the ID of the stack with these addresses. skip counts from the caller
// of numberOf, as in Capture.
func numberOf(at []uintptr, skip int) ID {
	b := bucket(at, skip)
	if id := find(b, at, skip); id != 0 {
		return id
	}
	id := capture(skip + 2)
	remember(b, at, skip, id)
	return id
}

type knownStack struct {
	addrs []uintptr
	skip  int
	id    ID
	next  *knownStack
}

func bucket(at []uintptr, skip int) *atomic.Pointer[knownStack] {
	h := uint64(skip)
	for _, a := range at {
		h = (h ^ uint64(a)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return &known.buckets[h%uint64(len(known.buckets))]
}

func find(b *atomic.Pointer[knownStack], at []uintptr, skip int) ID {
	for k := b.Load(); k != nil; k = k.next {
		if k.skip == skip && slices.Equal(k.addrs, at) {
			return k.id
		}
	}
	return 0
}

func remember(b *atomic.Pointer[knownStack], at []uintptr, skip int, id ID) {
	k := &knownStack{addrs: slices.Clone(at), skip: skip, id: id}
	known.mu.Lock()
	defer known.mu.Unlock()
	k.next = b.Load()
	b.Store(k)
}
