// Package profiler records the operators of all threads. It is a separate cgo package, so
// that changing it recompiles little code. Programs use torch/profiler.
package profiler

/*
#cgo pkg-config: --short-errors ../pkgconfig/gotorch-needs-scripts-install_libtorch.sh.pc
#cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -Wall -Wno-sign-compare -DAT_PER_OPERATOR_HEADERS
#cgo CXXFLAGS: -DNDEBUG -I${SRCDIR}/.. -I${SRCDIR}/../mem
#cgo LDFLAGS: -ldl
#cgo !darwin LDFLAGS: -lstdc++
#cgo nocallback gt_prof_start
#cgo nocallback gt_prof_toggle
#cgo noescape gt_prof_stop
#cgo nocallback gt_prof_stop
#cgo noescape gt_prof_free
#cgo nocallback gt_prof_free
#cgo nocallback gt_prof_clock
#cgo nocallback gt_prof_cut
#include "profiler.h"
*/
import "C"

// libtorch is built with NDEBUG, so it is defined here too. Otherwise RecordFunction
// would have an additional field and would not show its inputs.

import (
	"strings"
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
	_ "github.com/gotorch/gotorch/cgotorch/mem" // reports allocations
)

// These select what to record besides operators and their times.
const (
	Inputs = C.GT_PROF_INPUTS // arguments: shapes, dtypes and numbers
	Flops  = C.GT_PROF_FLOPS  // estimate of floating-point operations by libtorch's formulas
	Memory = C.GT_PROF_MEMORY // allocations and frees, on the CPU and on devices
)

// The flags of an Event.
const (
	Open = C.GT_PROF_OPEN // The event was still running when the recording ended.
	// The event ran on one of libtorch's own threads. Stack is the stack of the call to
	// Backward.
	Foreign = C.GT_PROF_FOREIGN
)

// These are the kinds of an argument; see gt_prof_result.
const (
	ArgOther   = C.GT_PROF_ARG_OTHER
	ArgTensor  = C.GT_PROF_ARG_TENSOR
	ArgTensors = C.GT_PROF_ARG_TENSORS
	ArgInt     = C.GT_PROF_ARG_INT
	ArgFloat   = C.GT_PROF_ARG_FLOAT
	ArgBool    = C.GT_PROF_ARG_BOOL
	ArgInts    = C.GT_PROF_ARG_INTS
	ArgScalar  = C.GT_PROF_ARG_SCALAR
	ArgScalars = C.GT_PROF_ARG_SCALARS
)

// Event is one run of an operator, or of another function that libtorch reports to profilers. The
// layout is gt_prof_event.
type Event struct {
	Start, End int64 // ns of Clock
	Seq        int64 // sequence number of the autograd node, or -1 if there is none
	Flops      int64
	// bytes that the CPU allocator allocated minus those that it freed, on the event's
	// thread
	Bytes     int64
	DevBytes  int64  // bytes allocated minus bytes freed on CUDA devices
	Inputs    int64  // index of the event's first argument in Result.Inputs, or -1
	FwdThread uint64 // for a backward operator: number of the forward operator's thread
	Name      uint32 // index in Result.Names
	Stack     uint32 // number of the Go stack, 0 = unknown
	Scope     uint16
	Flags     uint16
	Thread    uint32 // index in Result.Threads
}

// Block is a block of memory that was allocated or, with negative Bytes, freed. The
// layout is gt_prof_memory.
type Block struct {
	Time, Bytes int64
	Addr        uint64
	Thread      uint32
	InOperator  uint16
	Device      int16 // number of the CUDA device, -1 for the CPU
}

// Thread is a thread that operators ran on. The layout is gt_prof_thread.
type Thread struct {
	Number uint64 // libtorch's number of the thread
	TID    int64  // the system's thread ID
	Handle int64  // CUPTI's thread ID
}

// These are the kinds of a DeviceEvent.
const (
	Kernel   = C.GT_PROF_KERNEL
	Memcpy   = C.GT_PROF_MEMCPY
	Memset   = C.GT_PROF_MEMSET
	Runtime  = C.GT_PROF_RUNTIME  // a call of CUDA's runtime, on the CPU
	Driver   = C.GT_PROF_DRIVER   // a call of CUDA's driver, on the CPU
	Overhead = C.GT_PROF_OVERHEAD // overhead of recording, on the CPU
)

// DeviceEvent is work on a CUDA device, or the call that started it.
type DeviceEvent struct {
	Start, End  int64 // ns of Clock
	Correlation int64 // number shared by a call and the device work that it started
	Resource    int64 // stream of device work; thread of a call, as TID or Handle
	Device      int32 // -1 on the CPU
	Kind        int32
	Name        string
	Facts       string // members of a JSON object, such as "\"stream\": 7"
}

// Result is a recording. The events of each thread are adjacent, ordered by start time.
type Result struct {
	Events  []Event
	Memory  []Block
	Threads []Thread
	Inputs  []int64
	Names   []string
	Devices []DeviceEvent
	// Silent is true if devices were in use but reported nothing.
	Silent bool
	// Cut is the time, on Clock, at which the recording reached its limit, or 0.
	Cut int64
}

var (
	_ [0]struct{} = [unsafe.Sizeof(Event{}) - C.sizeof_gt_prof_event]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Block{}) - C.sizeof_gt_prof_memory]struct{}{}
	_ [0]struct{} = [unsafe.Sizeof(Thread{}) - C.sizeof_gt_prof_thread]struct{}{}
)

// Start starts recording all threads. what is a sum of Inputs, Flops and Memory. Once the
// recording takes limit bytes, later calls are not recorded; 0 means no limit. Only one
// recording may run at a time.
func Start(what int, limit int64) abi.Status {
	return abi.Status(C.gt_prof_start(C.int(what), C.int64_t(limit)))
}

// Cut returns the time on Clock at which the running recording reached its limit, or 0.
func Cut() int64 { return int64(C.gt_prof_cut()) }

// Bytes returns how many bytes the running recording takes.
func Bytes() int64 { return int64(C.gt_prof_bytes()) }

// StartDevices makes the recording include CUDA devices. If they cannot be recorded, it
// returns an error, and the recording continues without them.
func StartDevices() abi.Status { return abi.Status(C.gt_prof_start_devices()) }

// Toggle stops recording calls if on is false, and resumes it if on is true.
func Toggle(on bool) {
	n := C.int(0)
	if on {
		n = 1
	}
	C.gt_prof_toggle(n)
}

// Stop ends the recording and returns it.
func Stop() (*Result, abi.Status) {
	var r C.gt_prof_result
	if st := abi.Status(C.gt_prof_stop(&r)); st != 0 {
		return nil, st
	}
	defer C.gt_prof_free(&r)
	out := &Result{
		Events:  copied[Event](unsafe.Pointer(r.events), int(r.n_events)),
		Memory:  copied[Block](unsafe.Pointer(r.memory), int(r.n_memory)),
		Threads: copied[Thread](unsafe.Pointer(r.threads), int(r.n_threads)),
		Inputs:  copied[int64](unsafe.Pointer(r.inputs), int(r.n_inputs)),
		Silent:  r.devices_silent != 0,
		Cut:     int64(r.cut),
	}
	if n := int(r.names_bytes); n > 0 {
		out.Names = strings.Split(string(copied[byte](unsafe.Pointer(r.names), n-1)), "\x00")
	}
	if n := int(r.n_device_events); n > 0 {
		out.Devices = devices(unsafe.Slice(r.device_events, n),
			string(copied[byte](unsafe.Pointer(r.device_texts), int(r.device_texts_bytes))))
	}
	return out, 0
}

func devices(events []C.gt_prof_device_event, texts string) []DeviceEvent {
	out := make([]DeviceEvent, len(events))
	text := func() (t string) {
		t, texts, _ = strings.Cut(texts, "\x00")
		return t
	}
	for i, e := range events {
		out[i] = DeviceEvent{
			Start: int64(e.start), End: int64(e.end), Correlation: int64(e.correlation), Resource: int64(e.resource),
			Device: int32(e.device), Kind: int32(e.kind), Name: text(), Facts: text(),
		}
	}
	return out
}

func copied[T any](p unsafe.Pointer, n int) []T {
	if n == 0 {
		return nil
	}
	return append([]T(nil), unsafe.Slice((*T)(p), n)...)
}

// Clock returns the current time, in ns, on the system's monotonic clock. Events use it
// too.
func Clock() int64 { return int64(C.gt_prof_clock()) }
