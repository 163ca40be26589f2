package trace

import (
	"sync"
	"sync/atomic"
)

// known finds the number of a stack by its return addresses, which fix the
// inlined calls as well. Reading takes no lock and allocates nothing; entries
// stay for ever, as the stacks do.
var known struct {
	mu      sync.Mutex // for adding
	buckets [1 << 13]atomic.Pointer[knownStack]
}

// addrs are return addresses: as many as a stack has calls, and those of
// Capture, of what it calls and of the frames that it is told to skip.
type addrs [MaxDepth + 4]uintptr

type knownStack struct {
	addrs   addrs
	n, skip int
	id      ID
	next    *knownStack
}

func bucket(at *addrs, n, skip int) *atomic.Pointer[knownStack] {
	h := uint64(skip)
	for _, a := range at[:n] {
		h = (h ^ uint64(a)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return &known.buckets[h%uint64(len(known.buckets))]
}

func find(b *atomic.Pointer[knownStack], at *addrs, n, skip int) ID {
next:
	for k := b.Load(); k != nil; k = k.next {
		if k.n != n || k.skip != skip {
			continue
		}
		for i, a := range at[:n] {
			if k.addrs[i] != a {
				continue next
			}
		}
		return k.id
	}
	return 0
}

func remember(b *atomic.Pointer[knownStack], at *addrs, n, skip int, id ID) {
	k := &knownStack{addrs: *at, n: n, skip: skip, id: id}
	known.mu.Lock()
	defer known.mu.Unlock()
	k.next = b.Load()
	b.Store(k)
}
