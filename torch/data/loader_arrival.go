package data

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// arrival is a batch on its way to a CUDA device, on a stream of its own.
type arrival struct{ event *cuda.Event }

// sideStream returns the stream that a loop's workers copy on, nil unless batches go to
// a CUDA device.
func sideStream(dev torch.Device) *cuda.Stream {
	if !dev.IsCUDA() {
		return nil
	}
	return cuda.NewStream(cuda.Device(dev))
}

// copyAsync runs copies on stream s, or on the current stream if s is nil. It returns what
// to await before the results are used.
func copyAsync(s *cuda.Stream, copies func()) *arrival {
	if s == nil {
		copies()
		return nil
	}
	var a arrival
	s.Do(func() {
		copies()
		a.event = s.RecordEvent()
	})
	return &a
}

// await makes the caller's stream wait for the copies without blocking the caller. The
// allocator keeps the copies' memory until that stream is done with it.
func (a *arrival) await(e Example) {
	if a == nil || a.event == nil {
		return
	}
	for _, t := range e.all() {
		if t != nil && t.IsCUDA() {
			current := cuda.CurrentStream(cuda.Device(t.Device()))
			current.WaitEvent(a.event)
			current.RecordStream(t)
		}
	}
}
