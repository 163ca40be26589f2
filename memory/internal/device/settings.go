package device

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/torch"
)

func (c cpuAllocator) Settings(to map[string]any) {
	to["cpu_backend"] = c.Name()
	to["cpu_limit"] = c.Limit()
}

func (c cudaAllocator) Settings(to map[string]any) {
	s, err := cuda.ReadSettings()
	MustCUDA("Settings", err)
	AddSettings(to, &s)
}

// AddSettings adds the allocator settings in s to the map, under the keys that Python's
// snapshots use.
func AddSettings(to map[string]any, s *cuda.Settings) {
	to["PYTORCH_CUDA_ALLOC_CONF"] = s.Conf
	to["max_split_size"] = s.MaxSplitSize
	to["garbage_collection_threshold"] = s.GarbageCollectionThreshold
	to["expandable_segments"] = s.ExpandableSegments
	to["pinned_num_register_threads"] = s.PinnedNumRegisterThreads
	to["release_lock_on_cudamalloc"] = s.ReleaseLock
	to["pinned_use_cuda_host_register"] = s.PinnedUseHostRegister
	to["graph_capture_record_stream_reuse"] = s.GraphCaptureReuseStreams
	divisions := make(map[string]any, len(s.Roundup))
	for i, n := range s.Roundup {
		divisions[strconv.Itoa(1<<i)] = n
	}
	to["roundup_power2_divisions"] = divisions
}

// SetSettings changes the settings of the CUDA devices' allocators; see
// memory.SetSettings.
func SetSettings(op, conf string) error {
	list, err := splitSettings(op, conf)
	if err != nil {
		return err
	}
	bad, e := cuda.Change(conf, list)
	switch {
	case e != nil:
		return CUDAError(op, e)
	case bad == nil:
		return nil
	case bad.Err == nil:
		return Error(op, torch.ErrValue, fmt.Sprintf("%s: there is no allocator setting %s", bad.Text, bad.Key))
	}
	return Error(op, torch.ErrValue, fmt.Sprintf("%s: %s", bad.Text, withoutOwnCode(bad.Err.Message)))
}

// splitSettings splits conf at the commas outside brackets.
func splitSettings(op, conf string) ([]cuda.Setting, error) {
	bad := func(text, why string) ([]cuda.Setting, error) {
		return nil, Error(op, torch.ErrValue, fmt.Sprintf("%q: %s", text, why))
	}
	if strings.ContainsRune(conf, 0) {
		return bad(conf, "contains a zero byte")
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
		text := strings.Join(strings.Fields(rest[:end]), "") // libtorch ignores white space
		rest = rest[min(end+1, len(rest)):]
		key, value, _ := strings.Cut(text, ":")
		switch {
		case depth != 0:
			return bad(text, "brackets do not match")
		case key == "":
			return bad(conf, "a setting has no name")
		case value == "":
			return bad(text, "expected key:value, got no value")
		case key == "backend" && !cuda.Loaded() && value != "native":
			return bad(text, "set the backend in the environment variable PYTORCH_CUDA_ALLOC_CONF")
		}
		list = append(list, cuda.Setting{Key: key, Text: text})
	}
	return list, nil
}

// withoutOwnCode returns libtorch's message without its references to libtorch's source
// code.
func withoutOwnCode(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if message == "stoull" || message == "stoul" || message == "stod" || message == "stoi" {
		// Otherwise the message would be only the name of the C++ function that failed.
		return "not a number"
	}
	if _, after, found := strings.Cut(message, "please report a bug to PyTorch. "); found {
		return after
	}
	return message
}
