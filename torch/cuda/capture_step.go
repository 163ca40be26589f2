package cuda

import (
	steps "github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/torch"
)

// captureStep implements torch.Capture on a CUDA device.
func init() { steps.ProvideCUDA(captureStep) }

func captureStep(index, warmups int, step func()) *steps.DeviceGraph {
	dev := torch.CUDA.At(index)
	g := NewCUDAGraph()
	done := false
	defer func() {
		if !done {
			_ = g.Close()
		}
	}()
	WithDevice(dev, func() {
		Synchronize()
		NewStream().Do(func() {
			for range warmups {
				torch.Scope(step)
			}
		})
		Synchronize()
		Graph(g, step)
		g.Replay()
	})
	done = true
	return &steps.DeviceGraph{
		Replay: func() { WithDevice(dev, g.Replay) },
		Close:  func() { _ = g.Close() },
	}
}
