// Package mem is the CPU allocator that libtorch uses in a Go program, and the
// memory statistics behind package memory. It is a cgo package of its own, and
// imports nothing of the others, so that a change here recompiles little.
//
// The allocator installs itself while the program is loaded, before any Go code
// runs; see alloc.cpp. Nothing here calls back into Go.
package mem

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -Wall
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback gt_mem_fail
#cgo noescape gt_mem_get_stats
#cgo nocallback gt_mem_get_stats
#cgo nocallback gt_mem_reset_peak
#cgo nocallback gt_mem_reset_accumulated
#cgo nocallback gt_mem_empty_cache
#cgo nocallback gt_mem_trim
#cgo nocallback gt_mem_set_limit
#cgo nocallback gt_mem_get_limit
#cgo nocallback gt_mem_window_open
#cgo noescape gt_mem_oom_read
#cgo nocallback gt_mem_oom_read
#cgo nocallback gt_mem_oom_forgive
#cgo noescape gt_mem_window_read
#cgo nocallback gt_mem_window_read
#include "alloc.h"
*/
import "C"

import (
	"sync/atomic"
	"unsafe"
)

// Counters are the words of the CPU allocator that Go reads and writes in
// place, without a crossing. The layout is gt_mem_counters of alloc.h.
type Counters struct {
	LiveBytes     atomic.Int64  // requested bytes alive now, exact
	Threshold     atomic.Int64  // above this Pressure becomes 1
	Pressure      atomic.Uint32 // set when LiveBytes + Blocks*BlockCost + Overhead passes Threshold or Offered passes LookAt, cleared by Go
	ReservedBytes atomic.Int64  // obtained from the system and not given back
	Blocks        atomic.Int64  // alive now, exact
	BlockCost     atomic.Int64  // set by Go: what a block costs beside the bytes requested for it
	Overhead      atomic.Int64  // set by Go: what there is beside blocks
	Offered       atomic.Int64  // bytes requested and BlockCost of every allocation so far
	LookAt        atomic.Int64  // set by Go: above this Pressure becomes 1
}

// CPU is the CPU allocator's counters; valid from program start to end.
var CPU = (*Counters)(unsafe.Pointer(C.gt_mem_counters_addr()))

// The two layouts have to stay one.
var (
	_ [unsafe.Sizeof(Counters{}) - C.sizeof_gt_mem_counters]struct{}
	_ [C.sizeof_gt_mem_counters - unsafe.Sizeof(Counters{})]struct{}
)

// Stat is one statistic over time: its value now, its highest value, and
// the sums of its increases and decreases.
type Stat struct {
	Current, Peak, Allocated, Freed int64
}

// Stats are the statistics that PyTorch keeps for each device. Of the three
// entries of an array the first covers all blocks, the second the small pool,
// the third the large one.
type Stats struct {
	Allocation, Segment, Active, InactiveSplit                     [3]Stat
	AllocatedBytes, ReservedBytes, ActiveBytes, InactiveSplitBytes [3]Stat
	RequestedBytes                                                 [3]Stat
	OversizeAllocations, OversizeSegments                          Stat
	NumAllocRetries, NumOOMs, NumSyncAllStreams                    int64
	NumDeviceAlloc, NumDeviceFree, MaxSplitSize                    int64
}

var (
	_ [unsafe.Sizeof(Stats{}) - C.sizeof_gt_mem_stats]struct{}
	_ [C.sizeof_gt_mem_stats - unsafe.Sizeof(Stats{})]struct{}
)

// CPUStats reads the CPU allocator's statistics, all at one moment.
func CPUStats(out *Stats) {
	C.gt_mem_get_stats((*C.gt_mem_stats)(unsafe.Pointer(out)))
}

// CPUResetPeak sets every peak to its current value.
func CPUResetPeak() { C.gt_mem_reset_peak() }

// CPUResetAccumulated sets sums and event counts to zero.
func CPUResetAccumulated() { C.gt_mem_reset_accumulated() }

// CPUEmptyCache returns all memory that holds no tensor to the system.
func CPUEmptyCache() { C.gt_mem_empty_cache() }

// CPUTrim returns what has been free for at least minAgeMs milliseconds.
func CPUTrim(minAgeMs int64) { C.gt_mem_trim(C.int64_t(minAgeMs)) }

// CPUSetLimit bounds the reserved bytes; 0 removes the bound. If more than
// that is reserved even after a purge it changes nothing and returns how much.
func CPUSetLimit(bytes int64) (reserved int64) {
	return int64(C.gt_mem_set_limit(C.int64_t(bytes)))
}

// CPULimit returns the bound on reserved bytes, 0 for none.
func CPULimit() int64 { return int64(C.gt_mem_get_limit()) }

// Failure is a failed allocation: what was asked for, and the allocator's state at
// that moment. The layout is gt_mem_oom.
type Failure struct {
	Requested, Allocated, Reserved, Limit int64
}

var (
	_ [unsafe.Sizeof(Failure{}) - C.sizeof_gt_mem_oom]struct{}
	_ [C.sizeof_gt_mem_oom - unsafe.Sizeof(Failure{})]struct{}
)

// CPUFailure fills out with what goes with a failed status of a crossing, which
// nobody has taken over yet. It reports false if that is not an error of the CPU
// allocator's.
func CPUFailure(status uintptr, out *Failure) bool {
	return C.gt_mem_oom_read(C.uintptr_t(status), (*C.gt_mem_oom)(unsafe.Pointer(out))) != 0
}

// CPUForgive takes a failure back from NumOOMs and the history, because its operator is called
// again. It reports false if the status is not an error of the CPU allocator's.
func CPUForgive(status uintptr) bool { return C.gt_mem_oom_forgive(C.uintptr_t(status)) != 0 }

// CPUFail has the allocation after as many others fail, and if lasting, all after it too. It is for tests, while nothing
// else runs. A negative number ends that. It returns how many were left, a negative number where one has failed or none
// was to.
func CPUFail(after int64, lasting bool) (left int64) {
	on := C.int(0)
	if lasting {
		on = 1
	}
	return int64(C.gt_mem_fail(C.int64_t(after), on))
}

// Window is what happened to CPU memory between two moments, over all
// threads.
type Window struct {
	StartRequested, StartAllocated int64
	EndRequested, EndAllocated     int64
	PeakRequested, PeakAllocated   int64
	Allocations, AllocatedBytes    int64
}

var (
	_ [unsafe.Sizeof(Window{}) - C.sizeof_gt_mem_window]struct{}
	_ [C.sizeof_gt_mem_window - unsafe.Sizeof(Window{})]struct{}
)

// CPUWindowOpen starts a window with peaks of its own. Windows may nest and
// overlap. It returns 0 if there is no memory for it.
func CPUWindowOpen() int64 { return int64(C.gt_mem_window_open()) }

// CPUWindowRead fills out with what the window saw so far, and closes it if
// told so. It reports whether the window is open.
func CPUWindowRead(id int64, out *Window, closeIt bool) bool {
	c := C.int(0)
	if closeIt {
		c = 1
	}
	return C.gt_mem_window_read(C.int64_t(id), (*C.gt_mem_window)(unsafe.Pointer(out)), c) != 0
}

// CPUBackend names the allocator in use: "caching", or "system" when the
// environment variable GOTORCH_CPU_ALLOCATOR says so.
func CPUBackend() string { return C.GoString(C.gt_mem_backend()) }
