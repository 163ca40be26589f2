package jit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an argument of [Load] and [LoadFrom] that Python takes by keyword:
// [MapLocation], [ExtraFiles].
//
//gotorch:options MapLocation ExtraFiles
type LoadOption interface{ loadOption() }

// A SaveOption is an argument of [Module.Save] and [Module.SaveTo]: [ExtraFiles].
//
//gotorch:options ExtraFiles
type SaveOption interface{ saveOption() }

// A FreezeOption is an argument of [Module.Freeze]: [PreservedAttrs], [OptimizeNumerics].
//
//gotorch:options PreservedAttrs OptimizeNumerics
type FreezeOption interface{ freezeOption() }

// An OptimizeOption is an argument of [Module.OptimizeForInference]: [OtherMethods].
//
//gotorch:options OtherMethods
type OptimizeOption interface{ optimizeOption() }

// MapLocation is the device that all tensors go to, map_location in Python. Without it, or
// with the zero Device, each goes to the device that it was saved from.
type MapLocation torch.Device

// ExtraFiles are texts beside the module in the archive, by name, _extra_files in Python.
// Save writes them. Load sets the values of those names in the map that the archive has,
// and leaves the others. The default, and nil, is none.
type ExtraFiles map[string]string

// PreservedAttrs are the names of attributes and methods, beside forward, that a frozen
// module keeps, preserved_attrs in Python. The default, and nil, is none.
type PreservedAttrs []string

// OptimizeNumerics lets Freeze make changes that do not keep each bit of the results, such
// as folding a BatchNorm into the convolution before it, optimize_numerics in Python. The
// default is true.
type OptimizeNumerics bool

// OtherMethods are the names of methods that are optimized beside forward, other_methods in
// Python. The default, and nil, is none.
type OtherMethods []string

// loading is what the options of a load say.
type loading struct {
	device torch.Device
	extra  ExtraFiles
}

func readLoading(op string, opts []LoadOption) (loading, error) {
	var l loading
	for _, o := range opts {
		switch o := o.(type) {
		case MapLocation:
			l.device = torch.Device(o)
		case ExtraFiles:
			l.extra = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if l.device != 0 {
		if err := l.device.Check(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// readSaving returns the extra files, sorted: all names and texts one after the other, and
// their lengths.
func readSaving(op string, opts []SaveOption) (text string, lengths []int64) {
	var extra ExtraFiles
	for _, o := range opts {
		switch o := o.(type) {
		case ExtraFiles:
			extra = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if name == "" || strings.ContainsRune(name, 0) || len(name) > longestName {
			panic(torch.NewError(op, torch.ErrValue, "ExtraFiles", fmt.Sprintf("expected the name of a file, got %.80q", name)))
		}
		b.WriteString(name)
		b.WriteString(extra[name])
		lengths = append(lengths, int64(len(name)), int64(len(extra[name])))
	}
	return b.String(), lengths
}

// longestName is how long the name of an entry of an archive may be.
const longestName = 1 << 10

// zeroed writes names with a zero behind each.
func zeroed(op, option string, names []string) string {
	var b strings.Builder
	for _, n := range names {
		if strings.ContainsRune(n, 0) {
			panic(torch.NewError(op, torch.ErrValue, option, fmt.Sprintf("%q is no name", n)))
		}
		b.WriteString(n)
		b.WriteByte(0)
	}
	return b.String()
}
