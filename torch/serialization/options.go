package serialization

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [Load] and [LoadFrom]: [MapLocation] and [Mmap], which are
// keyword arguments in Python, [VerifyCRC32], and [Opaque].
//
//gotorch:options MapLocation Mmap VerifyCRC32 Opaque
type LoadOption interface {
	loadOption()
	StateDictOption
}

// A StateDictOption is an option of [LoadStateDict] and similar functions: any [LoadOption], or [Key].
//
//gotorch:options MapLocation Mmap VerifyCRC32 Opaque Key
type StateDictOption interface{ stateDictOption() }

// A SaveOption is an option of [Save] and similar functions: [ArchiveName].
//
//gotorch:options ArchiveName
type SaveOption interface{ saveOption() }

// MapLocation is the device of the loaded tensors; map_location in Python. Without it, or
// with the zero Device, each tensor is loaded to the device that it was saved from.
type MapLocation torch.Device

// Mmap maps the file into memory instead of reading it; mmap in Python. Pages are loaded
// on first access. The mapping is private, so writing to a tensor does not change the
// file. The mapping lasts until all of its tensors are freed. If the file is truncated
// before that, the process may crash. For a file written before PyTorch 1.6, the error is
// of kind [torch.ErrUnsupported]. [LoadFrom], which has no file, panics with ErrValue for
// Mmap(true). The default is false.
type Mmap bool

// VerifyCRC32 (true) verifies the checksums of the archive, which Python never does. It
// has no effect on mapped files or on files without checksums. Python writes files
// without checksums after torch.serialization.set_crc32_options(False). The default is
// true.
type VerifyCRC32 bool

// Opaque (true) loads each class and function that is not on the allowed list as an
// [*Object] with its name and arguments. Without Opaque, such a name is an error. Nothing
// from the file is run. Opaque also reads TorchScript archives: it returns the module as
// an object with its attributes, but not the program. Python has no such option. The
// default is false.
type Opaque bool

// Key is the name of the entry that holds the state dict, such as "state_dict" or "model",
// in a checkpoint with several entries. A Key "a.b" means the entry "a.b" if there is one,
// or else the entry "b" of the entry "a". Other entries are not built, so they may contain
// objects of classes that are not allowed. If Key is missing or empty, the file itself must
// be the state dict.
type Key string

// ArchiveName is the name of the top-level directory in the archive. If it is missing or
// empty, the name is the file's name without its last extension, as in Python. For
// [SaveTo] and [NewArchive] it is "archive".
type ArchiveName string

// loading holds the values of the options.
type loading struct {
	op     string // the name of the function that was called, for errors
	device torch.Device
	mmap   bool
	verify bool
	opaque bool
	key    string
}

func readLoading(op string, opts []LoadOption) (loading, error) {
	all := make([]StateDictOption, len(opts))
	for i, o := range opts {
		all[i] = o
	}
	return readStateDictLoading(op, all)
}

func readStateDictLoading(op string, opts []StateDictOption) (loading, error) {
	c := loading{op: op, verify: true}
	asked := false
	for _, o := range opts {
		switch o := o.(type) {
		case MapLocation:
			c.device = torch.Device(o)
		case Mmap:
			c.mmap = bool(o)
		case VerifyCRC32:
			c.verify, asked = bool(o), bool(o)
		case Opaque:
			c.opaque = bool(o)
		case Key:
			c.key = string(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if c.mmap && asked {
		panic(torch.NewError(op, torch.ErrValue, "VerifyCRC32",
			"would read the whole file, which Mmap(true) does not: give only one of them"))
	}
	if c.device != 0 {
		if err := c.device.Check(); err != nil {
			return c, err
		}
	}
	return c, nil
}

// longestName is the limit on the length of an ArchiveName, in bytes. File systems do not
// allow longer file names either.
const longestName = 1 << 10

func readSaving(op, fallback string, opts []SaveOption) string {
	name := string(opt.Read(op, opts, ArchiveName("")))
	if name == "" {
		name = fallback
	}
	if name == "" {
		name = "archive"
	}
	if len(name) > longestName || strings.ContainsRune(name, '/') || !utf8.ValidString(name) {
		panic(torch.NewError(op, torch.ErrValue, "ArchiveName",
			fmt.Sprintf("expected a folder name in UTF-8, got %.80q", name)))
	}
	return name
}
