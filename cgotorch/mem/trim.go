package mem

import (
	"runtime"
	"time"
)

// idle is how long memory stays in the cache unused before it goes back to the
// system. The allocator sees to it while the program allocates; a program that
// does nothing still collects garbage every two minutes, and each collection
// looks after the cache here, and after the C library's heap.
const idle = 10 * time.Second

// A mark is garbage from the start: its cleanup runs after each collection.
type mark struct{ self *mark }

func init() { arm(&keeper{cache: time.Now(), heap: time.Now()}) }

func arm(k *keeper) {
	m := &mark{}
	m.self = m // a pointer inside keeps it out of the blocks that tiny objects share
	runtime.AddCleanup(m, func(k *keeper) {
		k.look(time.Now(), allocations, func() { CPUTrim(idle.Milliseconds()) }, TrimCHeap)
		arm(k)
	}, k)
}

// allocations is how many blocks there were so far.
func allocations() int64 {
	var s Stats
	CPUStats(&s)
	return s.Allocation[0].Allocated
}

// keeper decides at each collection what goes back.
type keeper struct {
	cache, heap time.Time // when it looked after each
	made        int64     // allocations at the last look after the heap
	calm        int       // looks after the heap since the program was busy
}

// Between two looks after the heap a program at rest makes no more blocks than these.
const few = 1000

// look gives back what has been in the cache for long, and what malloc and MKL have free
// once the program makes hardly any tensors. Of a program that works malloc keeps
// its pages: they would be faulted in again.
func (k *keeper) look(now time.Time, allocations func() int64, trimCache, trimHeap func()) {
	// A program that collects a thousand times a second shall not look at its free
	// blocks as often.
	if now.Sub(k.cache) > time.Second {
		trimCache()
		k.cache = now
	}
	if now.Sub(k.heap) <= idle {
		return
	}
	k.heap = now
	made := allocations()
	busy := made-k.made > few
	k.made = made
	if busy {
		k.calm = 0
		return
	}
	// Twice: what the collection found may not all be freed at the first look.
	if k.calm++; k.calm <= 2 {
		trimHeap()
	}
}
