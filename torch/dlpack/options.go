package dlpack

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

// An ExportOption configures [ToDLPack]: [MaxVersion], [Copy], [DLDevice], [Stream] or
// [ReadOnly].
//
//gotorch:options maxVersion Copy DLDevice Stream ReadOnly
type ExportOption interface{ exportOption() }

// An ImportOption configures [FromDLPack]: [Device], [Copy] or [AllowReadOnly].
//
//gotorch:options Device Copy AllowReadOnly
type ImportOption interface{ importOption() }

type maxVersion struct{ major, minor int }

// MaxVersion is the latest DLPack version that the taker supports; max_version in Python.
// For version 1.0 and later the struct is versioned. The default is 0.8, an unversioned
// struct.
func MaxVersion(major, minor int) ExportOption { return maxVersion{major, minor} }

// Copy controls whether memory is copied. With true it is always copied, so that nobody
// else uses it. With false it is never copied; if a copy is necessary, this causes
// ErrValue. By default memory is copied only to move it to another device.
type Copy bool

// Stream is the CUDA stream on which the taker will use the memory: a cudaStream_t as a
// number, or 1 for the default stream; stream in Python. That stream then waits for the
// pending work of the current stream. The default is -1, which waits for nothing. On the
// CPU all other values cause ErrValue.
type Stream int64

// ReadOnly asks the taker not to write to the memory. It needs a versioned struct, see
// [MaxVersion]. The default is false.
type ReadOnly bool

// AllowReadOnly allows a tensor over read-only memory. Writing to such a tensor may crash
// the process, and libtorch does not prevent it, so the program must not change it. The
// default is false: such memory causes ErrValue, unless it is copied by [Copy].
type AllowReadOnly bool

// Device is the device of the tensor; device in Python. The default is the device of the
// memory.
type Device torch.Device

// copying is the value of Copy.
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
	device              torch.Device // the device to export to, 0 for the tensor's device
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
				panic(torch.NewError(op, torch.ErrDevice, "DLDevice",
					fmt.Sprintf("tensors can be moved to kDLCPU and kDLCUDA, not to %v", o)))
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
		panic(wrong("ReadOnly", "needs a versioned struct; set MaxVersion(1, 0)"))
	}
	return e
}

type importing struct {
	copy     copying
	device   torch.Device // the device of the new tensor, 0 for the device of the memory
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
