package cuda

// #include "cuda.h"
import "C"

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/abi"
)

// Stream is a queue of work on a device, identified by libtorch's stream id.
type Stream struct {
	ID     int64
	Device int
}

func (s Stream) c() C.gt_cuda_stream {
	return C.gt_cuda_stream{id: C.int64_t(s.ID), device: C.int32_t(s.Device)}
}

func toStream(s C.gt_cuda_stream) Stream { return Stream{int64(s.id), int(s.device)} }

// Event is a libtorch event, or 0 until it is first recorded.
type Event uintptr

// Synchronize waits for all work on a device.
func Synchronize(device int) *cgotorch.Error { return take(C.gt_cuda_synchronize(C.int(device))) }

// NewStream returns a stream from libtorch's pool. Lower numbers mean a higher priority;
// priorities are 0 or negative.
func NewStream(device, priority int) (Stream, *cgotorch.Error) {
	var s C.gt_cuda_stream
	err := take(C.gt_cuda_new_stream(C.int(device), C.int(priority), &s))
	return toStream(s), err
}

// Query reports whether all work on the stream is done.
func (s Stream) Query() (bool, *cgotorch.Error) {
	var done C.int
	err := take(C.gt_cuda_stream_query(s.c(), &done))
	return done != 0, err
}

// Synchronize waits for all work on the stream.
func (s Stream) Synchronize() *cgotorch.Error { return take(C.gt_cuda_stream_synchronize(s.c())) }

// RecordStream delays the reuse of t's memory: after t is freed, the allocator waits for
// the work that is then queued on s.
func RecordStream(t abi.Tensor, s Stream) *cgotorch.Error {
	return take(C.gt_cuda_record_stream(C.gt_tensor(t), s.c()))
}

// Record makes the event mark the current end of the work on s.
func (e *Event) Record(s Stream, timing bool) *cgotorch.Error {
	var t C.int
	if timing {
		t = 1
	}
	raw := C.uintptr_t(*e)
	err := take(C.gt_cuda_event_record(&raw, s.c(), t))
	*e = Event(raw)
	return err
}

// Wait makes later work on the stream wait for the event.
func (e Event) Wait(s Stream) *cgotorch.Error {
	return take(C.gt_cuda_event_wait(C.uintptr_t(e), s.c()))
}

// Query reports whether the work before the recorded event is done.
func (e Event) Query() (bool, *cgotorch.Error) {
	var done C.int
	err := take(C.gt_cuda_event_query(C.uintptr_t(e), &done))
	return done != 0, err
}

// Synchronize waits until the work before the recorded event is done.
func (e Event) Synchronize() *cgotorch.Error {
	return take(C.gt_cuda_event_synchronize(C.uintptr_t(e)))
}

// Elapsed returns the milliseconds from e to end. Both must have been recorded with
// timing.
func (e Event) Elapsed(end Event, device int) (float64, *cgotorch.Error) {
	var ms C.double
	err := take(C.gt_cuda_event_elapsed(C.uintptr_t(e), C.uintptr_t(end), C.int(device), &ms))
	return float64(ms), err
}

// Destroy frees the event.
func (e Event) Destroy(device int) { C.gt_cuda_event_destroy(C.uintptr_t(e), C.int(device)) }
