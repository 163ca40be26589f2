package pacer

import (
	"math"
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

var limitSamples = sync.Pool{New: func() any {
	return &[]metrics.Sample{
		{Name: "/gc/gomemlimit:bytes"},
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
}}

// hasLimit is whether there was a limit when somebody last looked.
var hasLimit atomic.Bool

// room is what the limit leaves for native memory; math.MaxInt64 without a limit.
func room() int64 {
	s := limitSamples.Get().(*[]metrics.Sample)
	defer limitSamples.Put(s)
	metrics.Read(*s)
	limit := (*s)[0].Value.Uint64()
	if has := limit < math.MaxInt64; has != hasLimit.Load() {
		hasLimit.Store(has)
	}
	if limit >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(limit) - int64((*s)[1].Value.Uint64()-(*s)[2].Value.Uint64())
}

// limited is the threshold, or less if there is less room.
func limited(threshold, alive int64) int64 {
	r := room()
	if r == math.MaxInt64 {
		return threshold
	}
	r -= r / rounding
	return min(threshold, max(r, alive+max(alive/leastLimitedPart, leastLimitedBytes)))
}

// arm sets the threshold by what was alive after the last collection.
func arm() {
	alive := pacer.live.Load()
	mem.CPU.Threshold.Store(limited(next(alive), alive))
}

// fitCache gives back what the allocator keeps for later, if there is no room for it.
func fitCache() {
	var s mem.Stats
	mem.CPUStats(&s)
	reserved := s.ReservedBytes[0].Current
	if reserved-s.AllocatedBytes[0].Current <= leastCache {
		return
	}
	if r := room(); r != math.MaxInt64 && reserved+beside() > r {
		mem.CPUEmptyCache()
	}
}
