package cgotorch

// The CPU allocator. It installs itself while the program is loaded, before
// any Go code runs; see alloc.cpp. Nothing here calls back into Go.

/*
#cgo noescape gt_mem_get_stats
#cgo nocallback gt_mem_get_stats
#cgo nocallback gt_mem_reset_peak
#cgo nocallback gt_mem_reset_accumulated
#cgo nocallback gt_mem_empty_cache
#cgo nocallback gt_mem_trim
#cgo nocallback gt_mem_set_limit
#cgo nocallback gt_mem_get_limit
#cgo nocallback gt_mem_window_open
#cgo noescape gt_mem_window_read
#cgo nocallback gt_mem_window_read
#include "alloc.h"
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// MemCounters are the words of the CPU allocator that Go reads and writes in
// place, without a crossing. The layout is gt_mem_counters of alloc.h.
type MemCounters struct {
	LiveBytes     atomic.Int64  // requested bytes alive now, exact
	Threshold     atomic.Int64  // above this many live bytes Pressure becomes 1
	Pressure      atomic.Uint32 // set by the allocator, cleared by Go
	LimitHit      atomic.Uint32 // how often the cache was purged for want of memory
	ReservedBytes atomic.Int64  // obtained from the system and not given back
}

// Mem is the CPU allocator's counters; valid from program start to end.
var Mem = (*MemCounters)(unsafe.Pointer(C.gt_mem_counters_addr()))

// The two layouts have to stay one.
var _ [unsafe.Sizeof(MemCounters{}) - C.sizeof_gt_mem_counters]struct{}
var _ [C.sizeof_gt_mem_counters - unsafe.Sizeof(MemCounters{})]struct{}

// MemStat is one statistic over time: its value now, its highest value, and
// the sums of its increases and decreases.
type MemStat struct {
	Current, Peak, Allocated, Freed int64
}

// MemStats are the statistics that PyTorch keeps for each device. Of the three
// entries of an array the first covers all blocks, the second the small pool,
// the third the large one.
type MemStats struct {
	Allocation, Segment, Active, InactiveSplit                     [3]MemStat
	AllocatedBytes, ReservedBytes, ActiveBytes, InactiveSplitBytes [3]MemStat
	RequestedBytes                                                 [3]MemStat
	OversizeAllocations, OversizeSegments                          MemStat
	NumAllocRetries, NumOOMs, NumSyncAllStreams                    int64
	NumDeviceAlloc, NumDeviceFree, MaxSplitSize                    int64
}

var _ [unsafe.Sizeof(MemStats{}) - C.sizeof_gt_mem_stats]struct{}
var _ [C.sizeof_gt_mem_stats - unsafe.Sizeof(MemStats{})]struct{}

// CPUMemStats reads the CPU allocator's statistics, all at one moment.
func CPUMemStats(out *MemStats) {
	C.gt_mem_get_stats((*C.gt_mem_stats)(unsafe.Pointer(out)))
}

// CPUMemResetPeak sets every peak to its current value.
func CPUMemResetPeak() { C.gt_mem_reset_peak() }

// CPUMemResetAccumulated sets sums and event counts to zero.
func CPUMemResetAccumulated() { C.gt_mem_reset_accumulated() }

// CPUMemEmptyCache returns all memory that holds no tensor to the system.
func CPUMemEmptyCache() { C.gt_mem_empty_cache() }

// CPUMemTrim returns what has been free for at least minAgeMs milliseconds.
func CPUMemTrim(minAgeMs int64) { C.gt_mem_trim(C.int64_t(minAgeMs)) }

// CPUMemSetLimit bounds the reserved bytes; 0 removes the bound. If more than
// that is reserved even after a purge it changes nothing and returns how much.
func CPUMemSetLimit(bytes int64) (reserved int64) {
	return int64(C.gt_mem_set_limit(C.int64_t(bytes)))
}

// CPUMemLimit returns the bound on reserved bytes, 0 for none.
func CPUMemLimit() int64 { return int64(C.gt_mem_get_limit()) }

// MemWindow is what happened to CPU memory between two moments, over all
// threads.
type MemWindow struct {
	StartRequested, StartAllocated int64
	EndRequested, EndAllocated     int64
	PeakRequested, PeakAllocated   int64
	Allocations, AllocatedBytes    int64
}

var _ [unsafe.Sizeof(MemWindow{}) - C.sizeof_gt_mem_window]struct{}
var _ [C.sizeof_gt_mem_window - unsafe.Sizeof(MemWindow{})]struct{}

// CPUMemWindowOpen starts a window with peaks of its own. Windows may nest and
// overlap. It returns 0 if too many are open.
func CPUMemWindowOpen() int64 { return int64(C.gt_mem_window_open()) }

// CPUMemWindowRead fills out with what the window saw so far, and closes it if
// told so. It reports whether the window is open.
func CPUMemWindowRead(id int64, out *MemWindow, closeIt bool) bool {
	c := C.int(0)
	if closeIt {
		c = 1
	}
	return C.gt_mem_window_read(C.int64_t(id), (*C.gt_mem_window)(unsafe.Pointer(out)), c) != 0
}

// CPUMemBackend names the allocator in use: "caching", or "system" when the
// environment variable GOTORCH_CPU_ALLOCATOR says so.
func CPUMemBackend() string { return C.GoString(C.gt_mem_backend()) }
