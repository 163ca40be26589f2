package serialization

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an argument of [Load] and its relatives that Python takes by keyword:
// [MapLocation] or [Mmap]; or [VerifyCRC32], [Opaque].
//
//gotorch:options MapLocation Mmap VerifyCRC32 Opaque
type LoadOption interface {
	loadOption()
	StateDictOption
}

// A StateDictOption is an argument of [LoadStateDict]: any [LoadOption], or [Key].
//
//gotorch:options MapLocation Mmap VerifyCRC32 Opaque Key
type StateDictOption interface{ stateDictOption() }

// A SaveOption is an argument of [Save] and [SaveTo]: [ArchiveName].
//
//gotorch:options ArchiveName
type SaveOption interface{ saveOption() }

// MapLocation is the device that tensors go to, map_location in Python. Without it, or
// with the zero Device, each goes to the device that it was saved from.
type MapLocation torch.Device

// Mmap maps the file into memory instead of reading it, mmap in Python: what is never
// used is never loaded. The mapping is private, so writing into a tensor leaves the file
// as it is, and it stays as long as one of the tensors. A file that gets shorter meanwhile
// ends the process. A file of the format before PyTorch 1.6 is an error of kind
// [ErrUnsupported], and for [LoadFrom], which has no file, Mmap(true) is ErrValue. The
// default is false.
type Mmap bool

// VerifyCRC32 compares the checksums of the archive with what is read, unless the file
// has none (torch.serialization.set_crc32_options(False)), or lies mapped. Python never
// does. The default is true.
type VerifyCRC32 bool

// Opaque makes an [*Object] of each class and function that is not on the list, instead of
// an error: what is left of it are its name and arguments. Nothing is run. It takes
// TorchScript archives too, of which it reads the module, an object with its attributes,
// and not the program. Python has nothing like it. The default is false.
type Opaque bool

// Key is the name of the entry that holds the state dict, such as "state_dict" or "model":
// checkpoints often have more than one. Given as "a.b" it is entry b of entry a, unless
// there is one of the whole name. Other entries may hold objects of classes that are not
// allowed: they are not made. Without it, and with "", the file itself has to be the state
// dict.
type Key string

// ArchiveName is the name of the folder within the archive. Without it, and with "",
// it is the file's name without its last extension, as in Python; [SaveTo] takes
// "archive".
type ArchiveName string

// loading is what the options of a load say.
type loading struct {
	op     string // what was called
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
	for _, o := range opts {
		switch o := o.(type) {
		case MapLocation:
			c.device = torch.Device(o)
		case Mmap:
			c.mmap = bool(o)
		case VerifyCRC32:
			c.verify = bool(o)
		case Opaque:
			c.opaque = bool(o)
		case Key:
			c.key = string(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if c.device != 0 {
		if err := c.device.Check(); err != nil {
			return c, err
		}
	}
	return c, nil
}

// longestName is how long the name of the folder may be: those of files are no longer.
const longestName = 1 << 10

func readSaving(op, fallback string, opts []SaveOption) string {
	name := ""
	for _, o := range opts {
		switch o := o.(type) {
		case ArchiveName:
			name = string(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if name == "" {
		name = fallback
	}
	if name == "" {
		name = "archive"
	}
	if len(name) > longestName || strings.ContainsRune(name, '/') || !utf8.ValidString(name) {
		panic(torch.NewError(op, torch.ErrValue, "ArchiveName", fmt.Sprintf("expected the name of a folder in UTF-8, got %.80q", name)))
	}
	return name
}
