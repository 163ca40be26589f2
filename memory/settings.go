package memory

import (
	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/torch"
)

// Settings returns the settings of dev's allocator, as in the field allocator_settings of
// a snapshot. For a CUDA device they are the same as in Python's
// torch.cuda.memory._snapshot()["allocator_settings"], such as max_split_size (bytes, -1
// for no limit) and expandable_segments. All CUDA devices have the same settings. For the
// CPU they are cpu_backend (see [Backend]) and cpu_limit (see [Limit]). The values are of
// type string, bool, int64 or float64, or maps with such values.
//
// Settings panics with a *torch.Error: of kind torch.ErrDevice for a device that does not
// exist, and of kind torch.ErrNotImplemented for the backend cudaMallocAsync, which does
// not provide its settings.
func Settings(dev torch.Device) map[string]any {
	to := map[string]any{}
	device.Must("Settings", dev).Settings(to)
	return to
}

// SetSettings changes the settings of the CUDA devices' allocators, for example
// "max_split_size_mb:128,garbage_collection_threshold:0.8". Keys and values are the same
// as in the environment variable PYTORCH_CUDA_ALLOC_CONF. The CPU has no such settings;
// see [SetLimit]. As in PyTorch, max_split_size_mb, garbage_collection_threshold and
// roundup_power2_divisions are reset to their defaults if conf does not name them. Other
// settings and existing blocks do not change. Other goroutines should not allocate on a
// device during the call. In PyTorch: torch.cuda.memory._set_allocator_settings.
//
// For an unknown key or an invalid value SetSettings changes nothing and returns a
// *torch.Error of kind torch.ErrValue that names the key.
//
// You may call SetSettings before CUDA is in use, and even without CUDA. It then stores
// the settings and applies them when CUDA's library is opened, after the settings of the
// environment variable. per_process_memory_fraction has an effect only if it is set
// before CUDA is in use. If the library finds a stored value invalid, CUDA is not
// available; see torch.Device.Check. Only the environment variable can choose the
// backend.
func SetSettings(conf string) error {
	return device.SetSettings("SetSettings", conf)
}
