package memory

import (
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/torch"
)

// Settings returns the settings of dev's allocator, which snapshots have under
// allocator_settings. For a CUDA device they are those of Python's
// torch.cuda.memory._snapshot()["allocator_settings"], such as max_split_size
// (bytes, -1 for no limit) and expandable_segments. They are the same for all
// CUDA devices. For the CPU they are cpu_backend, see Backend, and cpu_limit,
// see Limit. The values are string, bool, int64, float64 or a map of these. It
// panics with a *torch.Error: of kind torch.ErrDevice for a device that is not
// there, and torch.ErrNotImplemented for the backend cudaMallocAsync, which
// does not reveal its settings.
func Settings(dev torch.Device) map[string]any {
	to := map[string]any{}
	device.Must("Settings", dev).Settings(to)
	return to
}

// SetSettings changes the settings of the CUDA devices' allocators, for example
// "max_split_size_mb:128,garbage_collection_threshold:0.8". Keys and values are
// those of the environment variable PYTORCH_CUDA_ALLOC_CONF. The CPU has no
// such settings; see SetLimit. As in PyTorch, max_split_size_mb,
// garbage_collection_threshold and roundup_power2_divisions are reset to their
// defaults if conf does not name them, and everything else stays as it is.
// Existing blocks stay as they are. Other goroutines should not allocate on a
// device during the call. In PyTorch:
// torch.cuda.memory._set_allocator_settings.
//
// An unknown key or an invalid value returns a *torch.Error of kind
// torch.ErrValue that names it. Settings then returns what it did before.
//
// You may call it before CUDA is in use, and even without CUDA. Settings of
// CUDA's library are stored and applied when the library is opened, after those
// of the variable. per_process_memory_fraction has an effect only then. A value
// that only that library can recognize as invalid is found at that time; CUDA
// is then not available, see torch.Device.Check. The backend can only be chosen
// by the variable.
func SetSettings(conf string) error {
	return device.SetSettings("SetSettings", conf)
}
