package recording

import "sync/atomic"

// DeviceGraph is a graph captured on a device: a CUDA graph.
type DeviceGraph struct {
	Replay func()
	Close  func()
}

// CaptureOnDevice runs a step on a device the given number of times to warm up, records
// it, and replays it once, so that its results have values.
type CaptureOnDevice func(index, warmups int, step func()) *DeviceGraph

var onCUDA atomic.Pointer[CaptureOnDevice]

// ProvideCUDA makes CUDA return fn. Package torch/cuda calls it once.
func ProvideCUDA(fn CaptureOnDevice) { onCUDA.Store(&fn) }

// CUDA returns the function that captures steps on CUDA devices, or nil if the program
// does not use package torch/cuda.
func CUDA() CaptureOnDevice {
	if fn := onCUDA.Load(); fn != nil {
		return *fn
	}
	return nil
}
