package data

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// arrival is a batch on its way to a CUDA device, on a stream of its own.
type arrival struct{ copied *cuda.Event }

// sideStream returns the stream that a loop's workers copy on, nil unless batches go to
// a CUDA device.
func sideStream(dev torch.Device) *cuda.Stream {
	if !dev.IsCUDA() {
		return nil
	}
	return cuda.NewStream(cuda.Device(dev))
}

// arriving runs copies on the stream, or where the goroutine is if s is nil, and returns
// what has to be awaited before their results are used.
func arriving(s *cuda.Stream, copies func()) *arrival {
	if s == nil {
		copies()
		return nil
	}
	var a arrival
	s.Do(func() {
		copies()
		a.copied = s.RecordEvent()
	})
	return &a
}

// await has the stream of the caller wait for the copies, without waiting itself, and the
// allocator keep their memory until that stream is done with it.
func (a *arrival) await(e Example) {
	if a == nil || a.copied == nil {
		return
	}
	for _, t := range e.all() {
		if t != nil && t.IsCUDA() {
			current := cuda.CurrentStream(cuda.Device(t.Device()))
			current.WaitEvent(a.copied)
			current.RecordStream(t)
		}
	}
}
