package profiler

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// deviceEvent is what is known of an event of Kineto's: a launch on the CPU, or what a
// device ran.
type deviceEvent struct {
	category    string // "kernel", "cuda_runtime", ...
	stream      int64
	correlation int64  // what a launch and its kernel share
	facts       string // Kineto's, members of an object of JSON
}

// categories are what traces call the kinds of events.
var categories = map[int32]string{
	profiler.Kernel: "kernel", profiler.Memcpy: "gpu_memcpy", profiler.Memset: "gpu_memset",
	profiler.Runtime: "cuda_runtime", profiler.Driver: "cuda_driver", profiler.Overhead: "overhead",
}

// resolve finds out what of the activities there is.
func (c *config) resolve() error {
	switch {
	case !c.cuda || cuda.IsAvailable():
		return nil
	case !c.cpu:
		return &torch.Error{Op: "profiler.Profile.Start", Kind: torch.ErrDevice, Message: "argument Activities: CUDA alone, and there is no CUDA device"}
	}
	cgotorch.Warn("CUDA is not available, disabling CUDA profiling")
	c.cuda = false
	return nil
}

// startDevices has a recording include CUDA devices. Where they cannot be recorded the
// rest goes on, with a warning, unless they are all that is asked for.
func (s *session) startDevices() error {
	err := torch.Try(func() {
		r := torch.BeginRaw("profiler.Profile.Start")
		r.Status(profiler.StartDevices())
	})
	if s.config.kernels = err == nil; err == nil {
		return nil
	}
	message := "kernels of CUDA devices cannot be recorded"
	if e, ok := err.(*torch.Error); ok { //nolint:errorlint // Try returns it as it is
		message += ": " + e.Message
	}
	if !s.config.cpu {
		return torch.NewError("profiler.Profile.Start", torch.ErrDevice, "Activities", message)
	}
	cgotorch.Warn(fmt.Sprintf("profiler: %s; the profile has what the CPU does, and the memory of devices", message))
	return nil
}
