package pacer

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch/mem"
)

// Go's runtime applies GOMEMLIMIT (or debug.SetMemoryLimit) to the Go part of a program.
// The pacer applies it to Go memory and CPU tensors together: the threshold is at most
// the part of the limit that Go does not use. So the limit bounds garbage in the whole
// process, for example in a container. Like the runtime, the pacer never fails, and does
// not collect all the time if live memory is above the limit.

const (
	// Native memory may always grow by 1/leastLimitedPart of the live bytes, and by
	// leastLimitedBytes.
	leastLimitedPart  = 16
	leastLimitedBytes = 16 << 20
	// 1/rounding of room's result is left for memory that the allocator needs beyond the
	// tensors' bytes. Otherwise the cache would be emptied after every collection, and
	// the kernel would have to map its pages again.
	rounding = 16
	// The allocator may always keep a cache of leastCache bytes.
	leastCache = 64 << 20
)

// lookEvery is the number of bytes allocated between two readings of the limit, which a
// program may change at any time. Reading it takes 25 ns.
const lookEvery = 16 << 20

var limitSamples = sync.Pool{New: func() any {
	return &[]metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
}}

// goBytes returns the bytes that Go's runtime counts for its limit.
func goBytes() int64 {
	s := limitSamples.Get().(*[]metrics.Sample)
	defer limitSamples.Put(s)
	metrics.Read(*s)
	return int64((*s)[0].Value.Uint64() - (*s)[1].Value.Uint64())
}

// hasLimit is true if the program or its control group had a limit when room was last
// called.
var hasLimit atomic.Bool

// room returns the number of bytes that the limit leaves for native memory, and whether
// the limit is the container's. Without a limit it returns math.MaxInt64.
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

// arm computes the threshold from the live bytes after the last collection, and lowers it
// if there is less room.
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

// fitCache empties the allocator's cache if there is no room for it.
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
