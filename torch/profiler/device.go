package profiler

import (
	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// deviceEvent is what is known of an event of Kineto's: a launch on the CPU, or what a
// device ran.
type deviceEvent struct {
	category    string // "kernel", "cuda_runtime", ...
	stream      int64
	correlation int64 // what a launch and its kernel share
}

// resolve finds out what of the activities there is.
func (c *config) resolve() error {
	switch {
	case !c.cuda:
		return nil
	case !c.cpu && !cuda.IsAvailable():
		return &torch.Error{Op: "profiler.Profile.Start", Kind: torch.ErrDevice, Message: "argument Activities: CUDA alone, and there is no CUDA device"}
	case !c.cpu:
		return &torch.Error{Op: "profiler.Profile.Start", Kind: torch.ErrNotImplemented, Message: "argument Activities: CUDA alone, whose kernels are not recorded yet"}
	case !cuda.IsAvailable():
		cgotorch.Warn("CUDA is not available, disabling CUDA profiling")
	default:
		cgotorch.Warn("profiler: kernels of CUDA devices are not recorded yet; the profile has what the CPU does")
	}
	c.cuda = false
	return nil
}
