package safetensors

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An OpenOption configures how a file is read: [Backend] or [Device].
//
//gotorch:options Backend Device
type OpenOption interface{ openOption() }

// Backend is the way in which tensors are read from a file: [BackendPread] or
// [BackendMmap]. It is backend in Python.
type Backend string

const (
	// BackendPread copies the bytes of each tensor. If the file has been truncated,
	// reading returns an error. It is the default; Python's default is mmap.
	BackendPread Backend = "pread"

	// BackendMmap maps the file into memory: nothing is copied, and pages are loaded on
	// first access. The file must not be truncated while it is mapped; see the package
	// documentation.
	BackendMmap Backend = "mmap"
)

// Device is the device to which tensors are loaded; device in Python. For a device other
// than the CPU, each tensor is first read into CPU memory, one at a time. With
// [BackendMmap], it is copied directly from the mapping. The default, and the zero Device,
// is the CPU, even if a default device is set.
type Device torch.Device

// opening holds the values of OpenOptions.
type opening struct {
	backend Backend
	device  torch.Device
}

// readOpening reads the options. It panics for an invalid option and returns an error
// for an unavailable device.
func readOpening(op string, opts []OpenOption) (opening, error) {
	backend, device := opt.Read2(op, opts, BackendPread, Device(torch.CPU))
	o := opening{backend: backend, device: torch.Device(device)}
	if o.backend != BackendMmap && o.backend != BackendPread {
		panic(torch.NewError(op, torch.ErrValue, "Backend",
			fmt.Sprintf(`expected "mmap" or "pread", got %q`, string(o.backend))))
	}
	if o.device == 0 {
		o.device = torch.CPU
	}
	return o, opt.MissingDevice(op, o.device)
}

// A SaveOption configures how tensors are written: [Metadata], [RemoveDuplicates] or
// [ForceContiguous].
//
//gotorch:options Metadata RemoveDuplicates ForceContiguous
type SaveOption interface{ saveOption() }

// A ShardOption configures [SaveSharded]: a SaveOption, [MaxShardSize] or
// [FilenamePattern].
//
//gotorch:options Metadata RemoveDuplicates ForceContiguous MaxShardSize FilenamePattern
type ShardOption interface{ shardOption() }

// Metadata are strings stored with the tensors; metadata in Python. The default, and nil,
// is no metadata.
type Metadata map[string]string

// RemoveDuplicates (true) leaves out tensors that share their memory with another tensor.
// The metadata then maps the name of an omitted tensor to the name of the tensor that is
// kept, as in Python's save_model and save_torch_state_dict. If several tensors cover all
// of the shared memory, the first name is kept. With false, tensors that share memory are
// an error. The default is false; for [SaveSharded] it is true.
type RemoveDuplicates bool

// ForceContiguous (true) writes contiguous copies of non-contiguous tensors;
// force_contiguous in Python. With false, non-contiguous tensors are an error. The default
// is false; for [SaveSharded] it is true.
type ForceContiguous bool

// MaxShardSize is the largest total size of the tensors in one file, in bytes. A larger
// tensor gets its own file. The default is 5,000,000,000. It is max_shard_size in Python.
type MaxShardSize int64

// FilenamePattern is the pattern of file names, in which {suffix} stands for the number
// of the file; filename_pattern in Python. The default is "model{suffix}.safetensors".
type FilenamePattern string

const suffix = "{suffix}"

// saving holds the values of SaveOptions or ShardOptions.
type saving struct {
	op         string
	metadata   map[string]string // a copy
	remove     bool
	contiguous bool
	most       int64
	pattern    string
}

func readSaving(op string, opts []SaveOption) saving {
	s := saving{op: op}
	for _, o := range opts {
		if !s.take(o) {
			panic(torch.BadOption(op, o))
		}
	}
	s.checkMetadata()
	return s
}

func readSharding(op string, opts []ShardOption) saving {
	s := saving{op: op, remove: true, contiguous: true, most: 5_000_000_000, pattern: "model" + suffix + ".safetensors"}
	for _, o := range opts {
		switch o := o.(type) {
		case MaxShardSize:
			s.most = int64(o)
		case FilenamePattern:
			s.pattern = string(o)
		default:
			if !s.take(o) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	s.checkMetadata()
	if s.most < 1 {
		panic(torch.NewError(op, torch.ErrValue, "MaxShardSize",
			fmt.Sprintf("expected a positive number of bytes, got %d", s.most)))
	}
	if strings.Count(s.pattern, suffix) != 1 || !strings.HasSuffix(s.pattern, extension) ||
		filepath.Base(s.pattern) != s.pattern {
		panic(torch.NewError(op, torch.ErrValue, "FilenamePattern",
			fmt.Sprintf(`expected a name without a folder that has {suffix} once and ends in %q, got %q`, extension,
				s.pattern)))
	}
	return s
}

// take reads o if it is an option of both SaveFile and SaveSharded. It reports whether o
// is such an option.
func (s *saving) take(o any) bool {
	switch o := o.(type) {
	case Metadata:
		s.metadata = maps.Clone(o)
	case RemoveDuplicates:
		s.remove = bool(o)
	case ForceContiguous:
		s.contiguous = bool(o)
	default:
		return false
	}
	return true
}

func (s *saving) checkMetadata() {
	for k, v := range s.metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			panic(torch.NewError(s.op, torch.ErrValue, "Metadata",
				fmt.Sprintf("expected strings in UTF-8, got %q: %q", k, v)))
		}
	}
}
