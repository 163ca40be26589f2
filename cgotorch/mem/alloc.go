// Package mem is the CPU allocator that libtorch uses in a Go program, and its
// statistics, which package memory reports. It is a separate cgo package that imports no
// other cgo package, so that changing it recompiles little code.
//
// The allocator installs itself when the program is loaded, before any Go code runs; see
// alloc.cpp. It does not call Go.
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

// Counters are the words of the CPU allocator that Go reads and writes directly. The
// layout is gt_mem_counters of alloc.h.
type Counters struct {
	LiveBytes     atomic.Int64  // exact sum of the requested bytes of live blocks
	Threshold     atomic.Int64  // set by Go: above this many bytes, Pressure becomes 1
	Pressure      atomic.Uint32 // becomes 1 above Threshold or above LookAt; Go clears it
	ReservedBytes atomic.Int64  // bytes obtained from the system and not returned
	Blocks        atomic.Int64  // live blocks, exact
	BlockCost     atomic.Int64  // set by Go: bytes that a block costs beyond its requested bytes
	Overhead      atomic.Int64  // set by Go: bytes of the process outside of blocks
	Offered       atomic.Int64  // sum of requested bytes and BlockCost of all allocations so far
	LookAt        atomic.Int64  // set by Go: Pressure becomes 1 if Offered is above this
}

// CPU are the CPU allocator's counters. They are valid for the life of the program.
var CPU = (*Counters)(unsafe.Pointer(C.gt_mem_counters_addr()))

// The layouts must agree.
var (
	_ [unsafe.Sizeof(Counters{}) - C.sizeof_gt_mem_counters]struct{}
	_ [C.sizeof_gt_mem_counters - unsafe.Sizeof(Counters{})]struct{}
)

// Stat is one statistic over time: its current value, its peak, and the sums of its
// increases and decreases.
type Stat struct {
	Current, Peak, Allocated, Freed int64
}

// Stats are the statistics that PyTorch keeps for each device. Arrays have three entries:
// all blocks, the small pool, the large pool.
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

// CPUStats reads all CPU allocator statistics at the same moment.
func CPUStats(out *Stats) {
	C.gt_mem_get_stats((*C.gt_mem_stats)(unsafe.Pointer(out)))
}

// CPUResetPeak sets the peak of each statistic to its current value.
func CPUResetPeak() { C.gt_mem_reset_peak() }

// CPUResetAccumulated sets the accumulated sums and the event counts to zero.
func CPUResetAccumulated() { C.gt_mem_reset_accumulated() }

// CPUEmptyCache returns all unused memory to the system.
func CPUEmptyCache() { C.gt_mem_empty_cache() }

// CPUTrim returns to the system the memory that has been unused for at least minAgeMs
// milliseconds.
func CPUTrim(minAgeMs int64) { C.gt_mem_trim(C.int64_t(minAgeMs)) }

// CPUSetLimit limits the reserved bytes; 0 removes the limit. If more bytes are reserved
// than the new limit even after emptying the cache, CPUSetLimit changes nothing and
// returns the reserved bytes. Otherwise it returns 0.
func CPUSetLimit(bytes int64) (reserved int64) {
	return int64(C.gt_mem_set_limit(C.int64_t(bytes)))
}

// CPULimit returns the limit on reserved bytes, 0 for none.
func CPULimit() int64 { return int64(C.gt_mem_get_limit()) }

// Failure describes a failed allocation: the requested bytes, and the allocator's state
// at that moment. The layout is gt_mem_oom.
type Failure struct {
	Requested, Allocated, Reserved, Limit int64
}

var (
	_ [unsafe.Sizeof(Failure{}) - C.sizeof_gt_mem_oom]struct{}
	_ [C.sizeof_gt_mem_oom - unsafe.Sizeof(Failure{})]struct{}
)

// CPUFailure writes the details of a failed allocation to out. The status must not have
// been taken. CPUFailure returns false if status is not an error of the CPU allocator.
func CPUFailure(status uintptr, out *Failure) bool {
	return C.gt_mem_oom_read(C.uintptr_t(status), (*C.gt_mem_oom)(unsafe.Pointer(out))) != 0
}

// CPUForgive removes a failure from NumOOMs and from the history, because the operator
// that failed is called again. It returns false if status is not an error of the CPU
// allocator.
func CPUForgive(status uintptr) bool { return C.gt_mem_oom_forgive(C.uintptr_t(status)) != 0 }

// CPUFail is for tests, while nothing else is running. It lets the given number of
// allocations succeed, and then makes one allocation fail or, if lasting is set, all
// later ones. A negative number turns this off. CPUFail returns how many allocations were
// still to succeed, or a negative number if one has already failed or none was to fail.
func CPUFail(after int64, lasting bool) (left int64) {
	on := C.int(0)
	if lasting {
		on = 1
	}
	return int64(C.gt_mem_fail(C.int64_t(after), on))
}

// Window contains what happened to CPU memory while a window was open, for all threads.
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

// CPUWindowOpen starts a window with its own peaks. Windows may nest and overlap. It
// returns 0 if there is not enough memory.
func CPUWindowOpen() int64 { return int64(C.gt_mem_window_open()) }

// CPUWindowRead writes what the window has measured so far to out. If closeIt is set, it
// also closes the window. It returns false if the window is not open.
func CPUWindowRead(id int64, out *Window, closeIt bool) bool {
	c := C.int(0)
	if closeIt {
		c = 1
	}
	return C.gt_mem_window_read(C.int64_t(id), (*C.gt_mem_window)(unsafe.Pointer(out)), c) != 0
}

// CPUBackend returns the name of the allocator: "caching", or "system" if the environment
// variable GOTORCH_CPU_ALLOCATOR selects it.
func CPUBackend() string { return C.GoString(C.gt_mem_backend()) }
