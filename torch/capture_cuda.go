package torch

import "github.com/gotorch/gotorch/internal/native/recording"

// onCUDA returns the CUDA device of the inputs, if any.
func onCUDA(inputs []*Tensor) (Device, bool) {
	for _, t := range inputs {
		if d := t.Device(); d.IsCUDA() {
			return d, true
		}
	}
	return 0, false
}

// captureOnCUDA records the step with package torch/cuda.
func (g *Graph) captureOnCUDA(op string, dev Device, warmups int, fn func() []*Tensor) {
	capture := recording.CUDA()
	if capture == nil {
		panic(argError(op, ErrDevice, "opts", "inputs on "+dev.String()+" need CUDA graphs: import package torch/cuda"))
	}
	done := false
	Scope(func() {
		g.device = capture(dev.Index(), warmups, func() { g.results = TidyAll(fn) })
		defer func() {
			if !done {
				g.device.Close()
			}
		}()
		g.ownResults(op, g.results)
		done = true
	})
}
