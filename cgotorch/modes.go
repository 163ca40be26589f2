package cgotorch

// #include "modes.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// ModesStreams is how many devices may have a current stream other than the default.
const ModesStreams = 16

// Modes is a row of the table of rarer modes, laid out as gt_modes. The zero Modes is
// the state of a new thread. Use its methods, which keep equal rows equal.
type Modes struct {
	AutocastCPU, AutocastCUDA bool
	DTypeCPU, DTypeCUDA       uint8 // at::ScalarType + 1 that autocast casts to, 0 = libtorch's default
	NoCache                   bool  // autocast keeps no casts of weights
	Device                    uint8 // the current CUDA device
	StreamCount               uint16
	Pool                      uint32                    // the use of a memory pool that it is in, 0 for none
	Capture                   uint32                    // the recording of a step that it takes part in, 0 for none
	Streams                   [ModesStreams]ModesStream // in ascending order of devices
}

// ModesStream is the current stream of a CUDA device, unless that is the default one.
type ModesStream struct{ ID, Device int64 }

// Stream returns the ID of a device's current stream, 0 for the default one.
func (m *Modes) Stream(device int) int64 {
	for _, s := range m.Streams[:m.StreamCount] {
		if s.Device == int64(device) {
			return s.ID
		}
	}
	return 0
}

// SetStream makes id the current stream of a device, 0 the default one. It reports
// whether there was room for it.
func (m *Modes) SetStream(device int, id int64) bool {
	var kept [ModesStreams]ModesStream
	n, placed := 0, id == 0
	put := func(s ModesStream) bool {
		if n == ModesStreams {
			return false
		}
		kept[n] = s
		n++
		return true
	}
	for _, s := range m.Streams[:m.StreamCount] {
		if !placed && s.Device >= int64(device) {
			placed = true
			if !put(ModesStream{ID: id, Device: int64(device)}) {
				return false
			}
		}
		if s.Device != int64(device) && !put(s) {
			return false
		}
	}
	if !placed && !put(ModesStream{ID: id, Device: int64(device)}) {
		return false
	}
	m.Streams, m.StreamCount = kept, uint16(n)
	return true
}

// InternModes returns the number of the row that is equal to m, which is added if there
// is none yet, as the bits of a Ctx. It fails with KindValue when the table is full.
func InternModes(m *Modes) (abi.Ctx, abi.Status) {
	var row C.uint32_t
	st := C.gt_modes_intern((*C.gt_modes)(unsafe.Pointer(m)), &row)
	return abi.Ctx(row) << abi.CtxModesShift, abi.Status(st)
}

// ModesOf returns the row of a Ctx, whose number InternModes gave or a callback brought.
func ModesOf(cx abi.Ctx) Modes {
	if cx&abi.CtxModes == 0 {
		return Modes{}
	}
	m := new(Modes)
	C.gt_modes_row(C.uint32_t(cx>>abi.CtxModesShift), (*C.gt_modes)(unsafe.Pointer(m)))
	return *m
}

// ModesRows returns how many rows there are, with that of a new thread.
func ModesRows() int { return int(C.gt_modes_rows()) }

// ClearAutocastCache forgets the casts of weights that autocast keeps for the process.
func ClearAutocastCache() abi.Status { return abi.Status(C.gt_autocast_clear_cache()) }
