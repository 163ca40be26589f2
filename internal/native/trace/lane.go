package trace

import (
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// A lane is a goroutine, by the address that tells it from all others alive. Whoever
// draws what goroutines did one below the other wants it with each stack, since a
// goroutine runs on any thread: then each number stands for a stack on one goroutine.

// StartLanes makes Capture tell goroutines apart, until as many StopLanes. Without a
// Start beside it the numbers stand for goroutines alone.
func StartLanes() { users.Add(oneLane) }

// StopLanes undoes one StartLanes.
func StopLanes() { users.Add(-oneLane) }

// Lane returns the goroutine of a number, 0 where lanes were not asked for, and the
// number of its stack alone, which may be 0.
func Lane(id ID) (lane uintptr, stack ID) {
	stacks.mu.Lock()
	defer stacks.mu.Unlock()
	if id == 0 || int(id) > len(stacks.list) {
		return 0, 0
	}
	n := stacks.list[id-1]
	return n.lane, n.base
}

// lanes finds the number of a stack on a goroutine. Entries stay for ever; there are as
// many as stacks times goroutines that were alive at one time.
var lanes struct {
	buckets [1 << 12]atomic.Pointer[knownLane]
	mu      sync.Mutex // for adding
}

type knownLane struct {
	lane     uintptr
	base, id ID
	next     *knownLane
}

// inLane returns the number of a stack on the running goroutine.
func inLane(base ID) ID {
	g := goroutine.ID()
	h := (uint64(g)>>5 ^ uint64(base)*0x9e3779b97f4a7c15) * 0x9e3779b97f4a7c15
	b := &lanes.buckets[h>>(64-12)]
	for k := b.Load(); k != nil; k = k.next {
		if k.lane == g && k.base == base {
			return k.id
		}
	}
	return addLane(b, g, base)
}

func addLane(b *atomic.Pointer[knownLane], g uintptr, base ID) ID {
	lanes.mu.Lock()
	defer lanes.mu.Unlock()
	for k := b.Load(); k != nil; k = k.next {
		if k.lane == g && k.base == base {
			return k.id
		}
	}
	stacks.mu.Lock()
	n := numbered{base: base, lane: g}
	if base != 0 {
		n.pcs = stacks.list[base-1].pcs
	}
	id := ID(len(stacks.list) + 1)
	if id > MaxID {
		id = base
	} else {
		stacks.list = append(stacks.list, n)
	}
	stacks.mu.Unlock()
	if id != base {
		b.Store(&knownLane{lane: g, base: base, id: id, next: b.Load()})
	}
	return id
}
