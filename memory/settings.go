package memory

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/cuda"
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
	mustAllocator("Settings", dev).settings(to)
	return to
}

func (c cpuAllocator) settings(to map[string]any) {
	to["cpu_backend"] = c.name()
	to["cpu_limit"] = c.limit()
}

func (c cudaAllocator) settings(to map[string]any) {
	s, err := cuda.ReadSettings()
	mustCUDA("Settings", err)
	addSettings(to, &s)
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
	const op = "SetSettings"
	list, err := splitSettings(op, conf)
	if err != nil {
		return err
	}
	bad, e := cuda.Change(conf, list)
	switch {
	case e != nil:
		return cudaError(op, e)
	case bad == nil:
		return nil
	case bad.Err == nil:
		return deviceError(op, torch.ErrValue, fmt.Sprintf("%s: there is no allocator setting %s", bad.Text, bad.Key))
	}
	return deviceError(op, torch.ErrValue, fmt.Sprintf("%s: %s", bad.Text, reason(bad.Err.Message)))
}

// splitSettings splits at the commas outside brackets.
func splitSettings(op, conf string) ([]cuda.Setting, error) {
	bad := func(text, why string) ([]cuda.Setting, error) {
		return nil, deviceError(op, torch.ErrValue, fmt.Sprintf("%q: %s", text, why))
	}
	if strings.ContainsRune(conf, 0) {
		return bad(conf, "a zero byte")
	}
	var list []cuda.Setting
	for rest := conf; strings.TrimSpace(rest) != ""; {
		end, depth := 0, 0
		for ; end < len(rest) && (depth > 0 || rest[end] != ','); end++ {
			switch rest[end] {
			case '[':
				depth++
			case ']':
				depth--
			}
		}
		text := strings.Join(strings.Fields(rest[:end]), "") // libtorch skips white space
		rest = rest[min(end+1, len(rest)):]
		key, value, _ := strings.Cut(text, ":")
		switch {
		case depth != 0:
			return bad(text, "a bracket without its other one")
		case key == "":
			return bad(conf, "a setting without a name")
		case value == "":
			return bad(text, "no value: the form is key:value")
		case key == "backend" && !cuda.Loaded() && value != "native":
			return bad(text, "the backend is chosen by PYTORCH_CUDA_ALLOC_CONF in the environment")
		}
		list = append(list, cuda.Setting{Key: key, Text: text})
	}
	return list, nil
}

// reason is libtorch's message without what is about its own code.
func reason(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if message == "stoull" || message == "stoul" || message == "stod" || message == "stoi" {
		return "not a number" // the C++ function that said so
	}
	if _, after, found := strings.Cut(message, "please report a bug to PyTorch. "); found {
		return after
	}
	return message
}
