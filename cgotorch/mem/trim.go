package mem

import (
	"runtime"
	"time"
)

// idle is how long memory stays unused in the cache before it is returned to the system.
// While the program allocates, the allocator trims its own cache. In an idle program, Go
// still collects garbage every two minutes, and each collection trims the cache and the C
// library's heap.
const idle = 10 * time.Second

// A mark is an object that is always garbage, so its cleanup runs after each collection.
type mark struct{ self *mark }

func init() { arm(&keeper{cache: time.Now(), heap: time.Now()}) }

func arm(k *keeper) {
	m := &mark{}
	// m contains a pointer, because an object without pointers may share its block with
	// other objects, which would keep it alive.
	m.self = m
	runtime.AddCleanup(m, func(k *keeper) {
		k.look(time.Now(), allocations, func() { CPUTrim(idle.Milliseconds()) }, TrimCHeap)
		arm(k)
	}, k)
}

// allocations returns how many blocks the CPU allocator has allocated so far.
func allocations() int64 {
	var s Stats
	CPUStats(&s)
	return s.Allocation[0].Allocated
}

// keeper decides, at each garbage collection, what to return to the system.
type keeper struct {
	cache, heap time.Time // when the cache and the heap were last looked at
	made        int64     // value of allocations when the heap was last looked at
	calm        int       // how often the heap was looked at since the program was busy
}

// few is the largest number of blocks that a program may allocate between two looks at
// the heap and still count as idle.
const few = 1000

// look returns memory to the system: cached memory that has been unused for a long time
// and, if the program is idle, the free memory of malloc and MKL. While a program works,
// malloc keeps its pages, because the program would soon need them again.
func (k *keeper) look(now time.Time, allocations func() int64, trimCache, trimHeap func()) {
	// A program may collect garbage a thousand times per second, so do not look each
	// time.
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
	// Trim at two looks in a row, because the collection may free some objects only after
	// the first.
	if k.calm++; k.calm <= 2 {
		trimHeap()
	}
}
