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

// An OpenOption says how a file is read: [Backend], [Device].
//
//gotorch:options Backend Device
type OpenOption interface{ openOption() }

// Backend is how the bytes of tensors come from the file, backend in Python.
type Backend string

const (
	// BackendPread reads the bytes of each tensor into memory of its own. A file that gets
	// shorter is an error then. It is the default; Python's is mmap.
	BackendPread Backend = "pread"

	// BackendMmap maps the file: no copies, and nothing is read before it is looked at. The
	// file must not get shorter meanwhile, see the package's comment.
	BackendMmap Backend = "mmap"
)

// Device is where tensors are made, device in Python. For another device than the CPU
// one tensor at a time, or with [BackendMmap] nothing but the mapping, is in memory beside
// it. The default, and the zero Device, is the CPU, whatever the default device is.
type Device torch.Device

// opening is a list of OpenOptions, read.
type opening struct {
	backend Backend
	device  torch.Device
}

// readOpening panics for a wrong option. Its error is a device that is not there.
func readOpening(op string, opts []OpenOption) (opening, error) {
	o := opening{backend: BackendPread, device: torch.CPU}
	for _, x := range opts {
		switch x := x.(type) {
		case Backend:
			o.backend = x
		case Device:
			o.device = torch.Device(x)
		default:
			panic(torch.BadOption(op, x))
		}
	}
	if o.backend != BackendMmap && o.backend != BackendPread {
		panic(torch.NewError(op, torch.ErrValue, "Backend", fmt.Sprintf(`expected "mmap" or "pread", got %q`, string(o.backend))))
	}
	if o.device == 0 {
		o.device = torch.CPU
	}
	return o, opt.MissingDevice(op, o.device)
}

// A SaveOption says how tensors are written: [Metadata], [RemoveDuplicates],
// [ForceContiguous].
//
//gotorch:options Metadata RemoveDuplicates ForceContiguous
type SaveOption interface{ saveOption() }

// A ShardOption says how [SaveSharded] writes: a SaveOption, [MaxShardSize] or
// [FilenamePattern].
//
//gotorch:options Metadata RemoveDuplicates ForceContiguous MaxShardSize FilenamePattern
type ShardOption interface{ shardOption() }

// Metadata are texts that come with the tensors, metadata in Python. The default, and nil,
// is none.
type Metadata map[string]string

// RemoveDuplicates leaves out (true) tensors whose memory another tensor has too, and
// notes under the left out name, in the metadata, which one that is, as Python's save_model
// and save_torch_state_dict do. Of several that have all of their common memory the first
// name is kept. With false such tensors are an error. The default is false, and true for
// [SaveSharded].
type RemoveDuplicates bool

// ForceContiguous writes (true) tensors that are not contiguous as if they were,
// force_contiguous in Python. With false they are an error. The default is false, and true
// for [SaveSharded].
type ForceContiguous bool

// MaxShardSize is how many bytes of tensors a file has at most; a larger tensor has a file
// of its own. max_shard_size in Python. The default is 5,000,000,000.
type MaxShardSize int64

// FilenamePattern is what the files are called, {suffix} being the place of the number:
// filename_pattern in Python. The default is "model{suffix}.safetensors".
type FilenamePattern string

const suffix = "{suffix}"

// saving is a list of SaveOptions or ShardOptions, read.
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
		panic(torch.NewError(op, torch.ErrValue, "MaxShardSize", fmt.Sprintf("expected a positive number of bytes, got %d", s.most)))
	}
	if strings.Count(s.pattern, suffix) != 1 || !strings.HasSuffix(s.pattern, extension) || filepath.Base(s.pattern) != s.pattern {
		panic(torch.NewError(op, torch.ErrValue, "FilenamePattern", fmt.Sprintf(`expected a name without a folder that has {suffix} once and ends in %q, got %q`, extension, s.pattern)))
	}
	return s
}

// take reads an option that both families have.
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
			panic(torch.NewError(s.op, torch.ErrValue, "Metadata", fmt.Sprintf("expected texts in UTF-8, got %q: %q", k, v)))
		}
	}
}
