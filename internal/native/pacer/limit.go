package pacer

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/mem"
)

// GOMEMLIMIT, or debug.SetMemoryLimit, is for the runtime what the Go part of a program
// may take. Here it is what Go and the CPU's tensors may take together: the threshold
// is no higher than what Go leaves of it. So the one variable that a container's image
// sets bounds the whole process, as far as garbage can. As the runtime does, the pacer
// never fails, and does not collect without end where what is alive is above the limit.

const (
	// leastLimited is how far native memory may grow in any case, as a part of what is
	// alive and in bytes.
	leastLimitedPart  = 16
	leastLimitedBytes = 16 << 20
	// rounding is the part of the room that is left for what the allocator gets beyond
	// the tensors' bytes: without it the cache would have to go back, and its pages be
	// faulted in again, after every collection.
	rounding = 16
	// leastCache stays with the allocator whatever the limit.
	leastCache = 64 << 20
)

// lookEvery is how many bytes are allocated until the limit is read again, which a program
// may change at any time. Reading it takes 25 ns.
const lookEvery = 16 << 20

var limitSamples = sync.Pool{New: func() any {
	return &[]metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
}}

// goBytes is what Go's runtime counts for its limit.
func goBytes() int64 {
	s := limitSamples.Get().(*[]metrics.Sample)
	defer limitSamples.Put(s)
	metrics.Read(*s)
	return int64((*s)[0].Value.Uint64() - (*s)[1].Value.Uint64())
}

// hasLimit is whether there was a limit when somebody last looked.
var hasLimit atomic.Bool

// room is what the limit leaves for native memory, math.MaxInt64 without a limit, and
// whether the limit is the container's.
func room() (bytes int64, contained bool) {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		limit, contained = container.limit()
	}
	if has := limit < math.MaxInt64; has != hasLimit.Load() {
		hasLimit.Store(has)
	}
	if limit == math.MaxInt64 {
		return limit, false
	}
	return limit - goBytes(), contained
}

// arm sets the threshold by what was alive after the last collection, or less if there is
// less room.
func arm() {
	alive := pacer.live.Load()
	threshold := next(alive)
	r, contained := room()
	if r < math.MaxInt64 {
		r -= r / rounding
		r = max(r, alive+max(alive/leastLimitedPart, leastLimitedBytes))
	}
	mem.CPU.Threshold.Store(min(threshold, r))
	container.lowers.Store(contained && r < threshold)
	mem.CPU.LookAt.Store(mem.CPU.Offered.Load() + lookEvery)
}

// fitCache gives back what the allocator keeps for later, if there is no room for it.
func fitCache() {
	var s mem.Stats
	mem.CPUStats(&s)
	reserved := s.ReservedBytes[0].Current
	if reserved-s.AllocatedBytes[0].Current <= leastCache {
		return
	}
	if r, _ := room(); reserved+beside() > r {
		mem.CPUEmptyCache()
	}
}
