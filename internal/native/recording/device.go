package recording

import "sync/atomic"

// DeviceGraph is a graph of a device that has such: a CUDA graph.
type DeviceGraph struct {
	Replay func()
	Close  func()
}

// CaptureOnDevice runs a step on a device as often as the warm-ups say, records it, and replays
// it once, so that its results have values.
type CaptureOnDevice func(index, warmups int, step func()) *DeviceGraph

var onCUDA atomic.Pointer[CaptureOnDevice]

// ProvideCUDA is for package torch/cuda, once.
func ProvideCUDA(fn CaptureOnDevice) { onCUDA.Store(&fn) }

// CUDA returns what captures steps on CUDA devices, nil in a program without package torch/cuda.
func CUDA() CaptureOnDevice {
	if fn := onCUDA.Load(); fn != nil {
		return *fn
	}
	return nil
}
