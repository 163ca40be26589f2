package data

import (
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// arrival is an asynchronous copy of a batch to a CUDA device. event occurs when the copy
// is complete.
type arrival struct{ event *cuda.Event }

// sideStream returns a new stream on which a loop's workers copy batches to dev, or nil if
// dev is not a CUDA device.
func sideStream(dev torch.Device) *cuda.Stream {
	if !dev.IsCUDA() {
		return nil
	}
	return cuda.NewStream(cuda.Device(dev))
}

// copyAsync calls the function copies on stream s and returns an arrival. Call await
// before you use the copied tensors. If s is nil, copyAsync calls the function on the
// current stream and returns nil.
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

// await makes the current stream wait for the copies, without blocking the caller. The
// allocator keeps the memory of the copies until the current stream has finished with it.
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
