package dlpack

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// An ExportOption says how [ToDLPack] makes a struct: [MaxVersion], [Copy], a [DLDevice],
// [Stream], [ReadOnly].
//
//gotorch:options maxVersion Copy DLDevice Stream ReadOnly
type ExportOption interface{ exportOption() }

// An ImportOption says how [FromDLPack] makes a tensor: [Device], [Copy],
// [AllowReadOnly].
//
//gotorch:options Device Copy AllowReadOnly
type ImportOption interface{ importOption() }

type maxVersion struct{ major, minor int }

// MaxVersion is the latest version of DLPack that the taker knows, max_version in Python:
// from 1.0 on the struct has a version. The default is 0.8, a struct without one.
func MaxVersion(major, minor int) ExportOption { return maxVersion{major, minor} }

// Copy says whether memory is copied: true has it copied always, so that no one else uses
// it, false never, and where only a copy can do that is ErrValue. The default is neither:
// only what has to go to another device is copied.
type Copy bool

// Stream is the CUDA stream on which the taker will use the memory, stream in Python: a
// cudaStream_t as a number, or 1 for the default stream. That stream then waits for what
// the current one has to do. The default is -1, which waits for nothing, and on the CPU
// anything else is ErrValue.
type Stream int64

// ReadOnly forbids the taker to write, where it cares. It needs a struct with a version, see
// [MaxVersion]. The default is false.
type ReadOnly bool

// AllowReadOnly makes a tensor over memory that the other library forbids to write to, and
// may have mapped so that writing ends the process: the program promises not to change the
// tensor. libtorch knows no such tensors. The default is false, an error of kind ErrValue;
// [Copy] needs no promise.
type AllowReadOnly bool

// Device is where the tensor is to be, device in Python. The default is where the memory
// is.
type Device torch.Device

// copying is what Copy said.
type copying int8

const (
	asNeeded copying = iota
	always
	never
)

func (c Copy) copying() copying {
	if c {
		return always
	}
	return never
}

type exporting struct {
	versioned, readOnly bool
	copy                copying
	device              torch.Device // 0 is the tensor's own
	stream              Stream
}

func readExport(op string, opts []ExportOption) exporting {
	e := exporting{stream: -1}
	wrong := func(arg, format string, args ...any) *torch.Error {
		return torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf(format, args...))
	}
	for _, o := range opts {
		switch o := o.(type) {
		case maxVersion:
			if o.major < 0 || o.minor < 0 {
				panic(wrong("MaxVersion", "expected a version, got %d.%d", o.major, o.minor))
			}
			e.versioned = o.major >= 1
		case Copy:
			e.copy = o.copying()
		case DLDevice:
			e.device = 0
			if dev, ok := o.torch(); ok {
				e.device = dev
			} else if o != (DLDevice{}) {
				panic(torch.NewError(op, torch.ErrDevice, "DLDevice", fmt.Sprintf("tensors go to kDLCPU and kDLCUDA, not to %v", o)))
			}
		case Stream:
			e.stream = o
		case ReadOnly:
			e.readOnly = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if e.readOnly && !e.versioned {
		panic(wrong("ReadOnly", "a struct without version cannot say so; give MaxVersion(1, 0)"))
	}
	return e
}

type importing struct {
	copy     copying
	device   torch.Device // 0 is where the memory is
	readOnly bool
}

func readImport(op string, opts []ImportOption) importing {
	var i importing
	for _, o := range opts {
		switch o := o.(type) {
		case Device:
			i.device = torch.Device(o)
		case Copy:
			i.copy = o.copying()
		case AllowReadOnly:
			i.readOnly = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	return i
}
