package trace

import (
	"sync"
	"sync/atomic"
)

// joined is a stack with the goroutine that it belongs to, or with the stack that its
// goroutine works for.
type joined struct {
	base ID
	lane uintptr
	from ID
}

// joins maps each joined to its ID. Like stacks, entries are never removed. Their number
// is at most the number of stacks times the number of goroutines alive at one time.
var joins struct {
	buckets [1 << 12]atomic.Pointer[knownJoin]
	mu      sync.Mutex // for adding
}

type knownJoin struct {
	joined
	id   ID
	next *knownJoin
}

// join returns the ID of j. If no IDs are left, it returns the ID of the stack alone.
func join(j joined) ID {
	h := (uint64(j.lane)>>5 ^ uint64(j.from)<<32 ^ uint64(j.base)*0x9e3779b97f4a7c15) * 0x9e3779b97f4a7c15
	b := &joins.buckets[h>>(64-12)]
	for k := b.Load(); k != nil; k = k.next {
		if k.joined == j {
			return k.id
		}
	}
	return addJoin(b, j)
}

func addJoin(b *atomic.Pointer[knownJoin], j joined) ID {
	joins.mu.Lock()
	defer joins.mu.Unlock()
	for k := b.Load(); k != nil; k = k.next {
		if k.joined == j {
			return k.id
		}
	}
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	id := ID(len(stacks.list) + 1)
	if id > MaxID {
		return j.base
	}
	n := numbered{base: j.base, from: j.from, lane: j.lane}
	if j.base != 0 {
		stack := stacks.list[j.base-1]
		n.pcs = stack.pcs
		if j.from == 0 {
			n.from = stack.from
		}
	}
	if j.lane == 0 {
		n.base = id
	}
	stacks.list = append(stacks.list, n)
	b.Store(&knownJoin{joined: j, id: id, next: b.Load()})
	return id
}
