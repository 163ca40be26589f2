package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

// ResetPeak sets every peak of a device to the current value.
func ResetPeak(device int) *cgotorch.Error { return take(C.gt_cuda_reset_peak(C.int(device))) }

// EmptyCache returns unused memory to the driver, on a device or, for -1, on all devices.
// use is the caller's innermost pool use, from its modes; see gt_cuda_empty_cache.
func EmptyCache(device int, use uint32) *cgotorch.Error {
	return take(C.gt_cuda_empty_cache(C.int(device), C.uint32_t(use)))
}

// MemInfo returns the free and the total bytes of a device, as the driver reports them.
func MemInfo(device int) (free, total int64, err *cgotorch.Error) {
	var f, t C.int64_t
	err = take(C.gt_cuda_mem_info(C.int(device), &f, &t))
	return int64(f), int64(t), err
}

// HostStats are the statistics of page-locked host memory. Times are in
// microseconds. The layout is gt_cuda_host_stats of cuda.h.
type HostStats struct {
	ActiveRequests, ActiveBytes, Allocations, AllocatedBytes mem.Stat
	NumHostAlloc, NumHostFree                                int64
	AllocTotal, AllocMax, AllocMin, AllocCount               int64
	FreeTotal, FreeMax, FreeMin, FreeCount                   int64
}

var (
	_ [unsafe.Sizeof(HostStats{}) - C.sizeof_gt_cuda_host_stats]struct{}
	_ [C.sizeof_gt_cuda_host_stats - unsafe.Sizeof(HostStats{})]struct{}
)

// ReadHostStats reads the statistics of page-locked host memory.
func ReadHostStats(out *HostStats) *cgotorch.Error {
	return take(C.gt_cuda_host_read((*C.gt_cuda_host_stats)(unsafe.Pointer(out))))
}

// ResetHostPeak sets the peaks of page-locked memory to the current values.
func ResetHostPeak() *cgotorch.Error { return take(C.gt_cuda_host_reset(0)) }

// ResetHostAccumulated sets the accumulated statistics of page-locked memory to zero.
func ResetHostAccumulated() *cgotorch.Error { return take(C.gt_cuda_host_reset(1)) }

// EmptyHostCache frees page-locked memory that holds no tensor.
func EmptyHostCache() *cgotorch.Error { return take(C.gt_cuda_host_empty_cache()) }

// SetFraction limits a device's allocator to a fraction of the device memory.
func SetFraction(device int, fraction float64) *cgotorch.Error {
	return take(C.gt_cuda_set_fraction(C.int(device), C.double(fraction)))
}

// Fraction returns the fraction set by SetFraction, or 1.
func Fraction(device int) (float64, *cgotorch.Error) {
	var f C.double
	err := take(C.gt_cuda_get_fraction(C.int(device), &f))
	return float64(f), err
}

// Backend returns the name of the allocator: "native" or "cudaMallocAsync".
func Backend() (string, *cgotorch.Error) {
	var s *C.char
	if err := take(C.gt_cuda_backend(&s)); err != nil {
		return "", err
	}
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s), nil
}

// Pool is the number of a memory pool. The layout is gt_cuda_pool of cuda.h.
type Pool struct{ A, B uint64 }

func (p Pool) c() C.gt_cuda_pool { return C.gt_cuda_pool{a: C.uint64_t(p.A), b: C.uint64_t(p.B)} }

// NewPool creates a memory pool on a device.
func NewPool(device int) (Pool, *cgotorch.Error) {
	var p C.gt_cuda_pool
	err := take(C.gt_cuda_pool_new(C.int(device), &p))
	return Pool{uint64(p.a), uint64(p.b)}, err
}

// Use starts a use of the pool. If outer is not 0, the new use is nested inside the use
// with that number. Use returns the number of the new use. Goroutines whose modes contain
// that number allocate from the pool.
func (p Pool) Use(device int, outer uint32) (uint32, *cgotorch.Error) {
	var use C.uint32_t
	err := take(C.gt_cuda_pool_begin(C.int(device), p.c(), C.uint32_t(outer), &use))
	return uint32(use), err
}

// EndUse ends a use. A later use may get the same number.
func EndUse(use uint32) *cgotorch.Error { return take(C.gt_cuda_pool_end(C.uint32_t(use))) }

// Release gives up the pool and returns its free memory to the driver.
func (p Pool) Release(device int) *cgotorch.Error {
	return take(C.gt_cuda_pool_release(C.int(device), p.c()))
}
