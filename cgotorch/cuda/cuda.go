// Package cuda gives access to the CUDA part of libtorch. It opens the library at the
// first use of CUDA, and binds the caching allocator, streams and events. It is a
// separate cgo package and does not link CUDA, so that programs also run without CUDA.
// Programs use packages torch/cuda and memory.
//
// All functions except Load, Loaded and DeviceCount require that Load has succeeded. The
// current device and the current streams are columns of cgotorch.Modes.
package cuda

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo !darwin CXXFLAGS: -Wno-interference-size
#cgo CXXFLAGS: -I${SRCDIR}/.. -I${SRCDIR}/../mem -I${SRCDIR}/headers
#cgo CFLAGS: -I${SRCDIR}/.. -I${SRCDIR}/../mem
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/mem"
)

var library struct {
	once   sync.Once
	loaded atomic.Bool
	err    *cgotorch.Error
	count  int
	onLoad []func(devices int)
}

// Load opens libtorch_cuda and initializes CUDA, once per process. Later calls return the
// same result.
func Load() *cgotorch.Error {
	if library.loaded.Load() {
		return nil
	}
	library.once.Do(func() {
		settings.Lock()
		library.err = take(C.gt_cuda_load())
		settings.Unlock()
		if library.err != nil {
			return
		}
		library.count = int(C.gt_cuda_device_count())
		// The functions run before any code can allocate. Otherwise a block that was not
		// counted as allocated could be counted as freed.
		for _, fn := range library.onLoad {
			fn(library.count)
		}
		library.loaded.Store(true)
	})
	return library.err
}

// OnLoad registers a function that is called when the library is open, before Load
// returns. It is for use in init functions.
func OnLoad(fn func(devices int)) { library.onLoad = append(library.onLoad, fn) }

// Loaded reports whether Load has succeeded. It does not try to load.
func Loaded() bool { return library.loaded.Load() }

// DeviceCount returns the number of devices, 0 before Load.
func DeviceCount() int {
	if !library.loaded.Load() {
		return 0
	}
	return library.count
}

func take(st C.uintptr_t) *cgotorch.Error {
	if st == 0 {
		return nil
	}
	return cgotorch.TakeError(abi.Status(st))
}

// Counters are the bytes that tensors hold on a device, and the threshold above which the
// pacer is notified. The layout is gt_cuda_counters of cuda.h.
type Counters struct {
	LiveBytes atomic.Int64
	Threshold atomic.Int64
}

var (
	_ [unsafe.Sizeof(Counters{}) - C.sizeof_gt_cuda_counters]struct{}
	_ [C.sizeof_gt_cuda_counters - unsafe.Sizeof(Counters{})]struct{}
)

// CountersOf returns the counters of a device. They are valid for the life of the
// program.
func CountersOf(device int) *Counters {
	return (*Counters)(unsafe.Pointer(C.gt_cuda_counters_addr(C.int(device))))
}

// Watch makes the allocators of all devices update their Counters. If a device passes its
// threshold, they set the CPU allocator's Pressure. Call Watch once.
func Watch() *cgotorch.Error {
	return take(C.gt_cuda_watch((*C.uint32_t)(unsafe.Pointer(&mem.CPU.Pressure))))
}

// WindowOpen opens a window on a device: a measurement with its own peaks. Watch must
// have succeeded. Windows may nest and overlap.
func WindowOpen(device int) (id int64, err *cgotorch.Error) {
	var c C.int64_t
	err = take(C.gt_cuda_window_open(C.int(device), &c))
	return int64(c), err
}

// WindowRead writes what the window has measured so far to out. If closeIt is set, it
// also closes the window.
func WindowRead(device int, id int64, out *mem.Window, closeIt bool) *cgotorch.Error {
	var c C.int
	if closeIt {
		c = 1
	}
	return take(C.gt_cuda_window_read(C.int(device), C.int64_t(id), (*C.gt_mem_window)(unsafe.Pointer(out)), c))
}
