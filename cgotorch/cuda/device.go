package cuda

// #include <stdlib.h>
// #include "cuda.h"
import "C"

import (
	"unsafe"

	"github.com/gotorch/gotorch/cgotorch"
)

// Properties are the driver's properties of a device, except its attributes.
type Properties struct {
	Name        string
	UUID        [16]byte
	TotalMemory int64 // bytes
}

// ReadProperties returns a device's properties.
func ReadProperties(device int) (Properties, *cgotorch.Error) {
	var p C.gt_cuda_properties
	if err := take(C.gt_cuda_properties_read(C.int(device), &p)); err != nil {
		return Properties{}, err
	}
	out := Properties{Name: C.GoString(&p.name[0]), TotalMemory: int64(p.total_memory)}
	for i, b := range p.uuid {
		out.UUID[i] = byte(b)
	}
	return out, nil
}

// Attribute returns an attribute of a device. The numbers of attributes are CUDA's
// cudaDeviceAttr.
func Attribute(device, which int) (int, *cgotorch.Error) {
	var v C.int
	err := take(C.gt_cuda_attribute(C.int(device), C.int(which), &v))
	return int(v), err
}

// CanAccessPeer reports whether device can read and write peer's memory.
func CanAccessPeer(device, peer int) (bool, *cgotorch.Error) {
	var v C.int
	err := take(C.gt_cuda_can_access_peer(C.int(device), C.int(peer), &v))
	return v != 0, err
}

// Priorities returns the lowest and the highest priority of libtorch's streams.
func Priorities(device int) (least, greatest int, err *cgotorch.Error) {
	var l, g C.int
	err = take(C.gt_cuda_priorities(C.int(device), &l, &g))
	return int(l), int(g), err
}

// Config returns the build configuration of libtorch_cuda.
func Config() (string, *cgotorch.Error) {
	var s *C.char
	if err := take(C.gt_cuda_config(&s)); err != nil {
		return "", err
	}
	defer C.free(unsafe.Pointer(s))
	return C.GoString(s), nil
}

// Handle returns the driver's handle of the stream, a cudaStream_t.
func (s Stream) Handle() (uintptr, *cgotorch.Error) {
	var h C.uintptr_t
	err := take(C.gt_cuda_stream_handle(s.c(), &h))
	return uintptr(h), err
}

// Priority returns the stream's priority.
func (s Stream) Priority() (int, *cgotorch.Error) {
	var p C.int
	err := take(C.gt_cuda_stream_priority(s.c(), &p))
	return int(p), err
}

// Capturing reports whether the stream is being captured: 0 no, 1 yes, 2 the capture has
// failed.
func (s Stream) Capturing() (int, *cgotorch.Error) {
	var c C.int
	err := take(C.gt_cuda_stream_capturing(s.c(), &c))
	return int(c), err
}

// NewEvent creates an event on a device and does not record it. flags are the flags of
// the CUDA runtime; see gt_cuda_event_create.
func NewEvent(device int, flags uint) (Event, *cgotorch.Error) {
	var e C.uintptr_t
	err := take(C.gt_cuda_event_create(C.int(device), C.uint(flags), &e))
	return Event(e), err
}
