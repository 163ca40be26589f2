package cgotorch

// #include "modes.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch/abi"
)

// ModesStreams is the largest number of devices whose current stream is not the default stream.
const ModesStreams = 16

// Modes is a row of the table of less common modes, with the layout of gt_modes. The zero
// Modes is the state of a new thread. Change streams only with SetStream, so that == can
// compare rows.
type Modes struct {
	AutocastCPU, AutocastCUDA bool
	// dtype that autocast casts to, as at::ScalarType + 1; 0 means libtorch's default
	DTypeCPU, DTypeCUDA uint8
	NoCache             bool  // autocast does not cache casts of weights
	Device              uint8 // the current CUDA device
	StreamCount         uint16
	// number of the current pool use, 0 for none
	Pool uint32
	// number of the recording that the goroutine takes part in, 0 for none
	Capture uint32
	Streams [ModesStreams]ModesStream // in ascending order of devices
}

// ModesStream is the current stream of a CUDA device, if it is not the default one.
type ModesStream struct{ ID, Device int64 }

// Stream returns the ID of a device's current stream, or 0 for the default stream.
func (m *Modes) Stream(device int) int64 {
	for _, s := range m.Streams[:m.StreamCount] {
		if s.Device == int64(device) {
			return s.ID
		}
	}
	return 0
}

// SetStream sets the current stream of a device; id 0 means the default stream. It
// returns false if m has no room for the stream.
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

// InternModes returns the number of the row that equals m, as bits of a Ctx. It adds the
// row if it is not in the table. It fails with KindValue if the table is full.
func InternModes(m *Modes) (abi.Ctx, abi.Status) {
	var row C.uint32_t
	st := C.gt_modes_intern((*C.gt_modes)(unsafe.Pointer(m)), &row)
	return abi.Ctx(row) << abi.CtxModesShift, abi.Status(st)
}

// ModesOf returns the row whose number is in cx. cx must come from InternModes or from a
// callback.
func ModesOf(cx abi.Ctx) Modes {
	if cx&abi.CtxModes == 0 {
		return Modes{}
	}
	m := new(Modes)
	C.gt_modes_row(C.uint32_t(cx>>abi.CtxModesShift), (*C.gt_modes)(unsafe.Pointer(m)))
	return *m
}

// ModesRows returns the number of rows, including the row of a new thread.
func ModesRows() int { return int(C.gt_modes_rows()) }

// ClearAutocastCache removes all weight casts from autocast's cache.
func ClearAutocastCache() abi.Status { return abi.Status(C.gt_autocast_clear_cache()) }
