package profiler

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/cgotorch/profiler"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/cuda"
)

// deviceEvent describes an event from Kineto: a launch on the CPU, or work on a device.
type deviceEvent struct {
	category    string // "kernel", "cuda_runtime", ...
	stream      int64
	correlation int64  // the same for a launch and its kernel
	facts       string // properties from Kineto, as members of a JSON object
}

// categories maps kinds of device events to their names in traces.
var categories = map[int32]string{
	profiler.Kernel: "kernel", profiler.Memcpy: "gpu_memcpy", profiler.Memset: "gpu_memset",
	profiler.Runtime: "cuda_runtime", profiler.Driver: "cuda_driver", profiler.Overhead: "overhead",
}

// resolve checks which activities are available, and disables CUDA if it is not.
func (c *config) resolve() error {
	switch {
	case !c.cuda || cuda.IsAvailable():
		return nil
	case !c.cpu:
		return &torch.Error{
			Op: "profiler.Profile.Start", Kind: torch.ErrDevice,
			Message: "argument Activities: CUDA is the only activity, but there is no CUDA device",
		}
	}
	cgotorch.Warn("CUDA is not available, disabling CUDA profiling")
	c.cuda = false
	return nil
}

// startDevices starts recording CUDA devices. If this fails, the recording continues
// with a warning, unless CUDA is the only activity.
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
	cgotorch.Warn(fmt.Sprintf("profiler: %s; the profile covers only the CPU and the memory of devices", message))
	return nil
}
