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
	if !c.cuda || cuda.IsAvailable() {
		return nil
	}
	if !c.cpu {
		return &torch.Error{Op: "Profile.Start", Kind: torch.ErrDevice, Message: "argument Activities: CUDA alone, and there is no CUDA device"}
	}
	cgotorch.Warn("CUDA is not available, disabling CUDA profiling")
	c.cuda = false
	return nil
}

func (b *builder) deviceEvents() {}
