package memory

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
)

// Settings returns how dev's allocator is set up, what snapshots have under
// allocator_settings: for a CUDA device the content of Python's
// torch.cuda.memory._snapshot()["allocator_settings"], such as max_split_size
// (bytes, -1 for no bound) and expandable_segments, the same for all CUDA
// devices; for the CPU cpu_backend, see Backend, and cpu_limit, see Limit. The
// values are string, bool, int64, float64 or a map of such. It panics with a
// *torch.Error, of kind torch.ErrDevice for a device that is not there, of kind
// torch.ErrNotImplemented for the backend cudaMallocAsync, which does not tell.
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

// SetSettings changes the settings of the CUDA devices' allocators, for instance
// "max_split_size_mb:128,garbage_collection_threshold:0.8". Keys and values are
// those of the environment variable PYTORCH_CUDA_ALLOC_CONF; the CPU has no such
// settings, see SetLimit. As in PyTorch, max_split_size_mb,
// garbage_collection_threshold and roundup_power2_divisions get their defaults
// where conf does not name them, and everything else stays as it is. Blocks that
// exist stay as they are, and other goroutines should not be allocating on a
// device meanwhile. In PyTorch: torch.cuda.memory._set_allocator_settings.
//
// A key that is not known or a value that does not fit is a *torch.Error of kind
// torch.ErrValue that names it, and Settings returns what it did before.
//
// It may be called before CUDA is in use, and with no CUDA at all: what is for
// CUDA's library is kept, and applied when that is opened, after the variable.
// This is the time to set per_process_memory_fraction, which counts only then.
// A value that nobody but that library knows to be wrong is found at that time,
// and CUDA is not available then: see torch.Device.Check. The backend is chosen
// by the variable alone.
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
