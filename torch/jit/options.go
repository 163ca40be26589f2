package jit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LoadOption is an option of [Load] and [LoadFrom]: [MapLocation] or [ExtraFiles].
//
//gotorch:options MapLocation ExtraFiles
type LoadOption interface{ loadOption() }

// A SaveOption is an option of [Module.Save] and [Module.SaveTo]: [ExtraFiles].
//
//gotorch:options ExtraFiles
type SaveOption interface{ saveOption() }

// A FreezeOption is an option of [Module.Freeze]: [PreservedAttrs] or [OptimizeNumerics].
//
//gotorch:options PreservedAttrs OptimizeNumerics
type FreezeOption interface{ freezeOption() }

// An OptimizeOption is an option of [Module.OptimizeForInference]: [OtherMethods].
//
//gotorch:options OtherMethods
type OptimizeOption interface{ optimizeOption() }

// MapLocation is the device to which all tensors are loaded; map_location in Python.
// Without MapLocation, or with the zero Device, each tensor is loaded to the device that it
// was saved from.
type MapLocation torch.Device

// ExtraFiles maps names to strings that the archive stores. Save writes all of them. For
// each name in the map that the archive contains, Load sets the string; it leaves other
// names unchanged. The default, and nil, is no strings. It is _extra_files in Python.
type ExtraFiles map[string]string

// PreservedAttrs are the names of attributes and methods, besides forward, that a frozen
// module keeps; preserved_attrs in Python. The default, and nil, is none.
type PreservedAttrs []string

// OptimizeNumerics allows Freeze to make changes that may alter the last bits of results,
// such as folding a BatchNorm into the convolution before it; optimize_numerics in
// Python. The default is true.
type OptimizeNumerics bool

// OtherMethods are the names of methods to optimize besides forward; other_methods in
// Python. The default, and nil, is none.
type OtherMethods []string

// loading holds the values of the options.
type loading struct {
	device torch.Device
	extra  ExtraFiles
}

func readLoading(op string, opts []LoadOption) (loading, error) {
	device, extra := opt.Read2(op, opts, MapLocation(0), ExtraFiles(nil))
	l := loading{device: torch.Device(device), extra: extra}
	if l.device != 0 {
		if err := l.device.Check(); err != nil {
			return l, err
		}
	}
	return l, nil
}

// readSaving reads the options and returns the extra files, sorted by name. text
// alternates the names and the contents of the files, and lengths has their lengths in
// bytes.
func readSaving(op string, opts []SaveOption) (text string, lengths []int64) {
	extra := opt.Read(op, opts, ExtraFiles(nil))
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if name == "" || strings.ContainsRune(name, 0) || len(name) > longestName {
			panic(torch.NewError(op, torch.ErrValue, "ExtraFiles",
				fmt.Sprintf("expected a file name, got %.80q", name)))
		}
		b.WriteString(name)
		b.WriteString(extra[name])
		lengths = append(lengths, int64(len(name)), int64(len(extra[name])))
	}
	return b.String(), lengths
}

// longestName is the limit on the length of an entry's name.
const longestName = 1 << 10

// zeroed joins names, with a zero byte after each name.
func zeroed(op, option string, names []string) string {
	var b strings.Builder
	for _, n := range names {
		if strings.ContainsRune(n, 0) {
			panic(torch.NewError(op, torch.ErrValue, option, fmt.Sprintf("%q is not a valid name", n)))
		}
		b.WriteString(n)
		b.WriteByte(0)
	}
	return b.String()
}
