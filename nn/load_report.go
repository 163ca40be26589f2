package nn

import (
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// LoadReport describes what [LoadFrom] did.
type LoadReport struct {
	IncompatibleKeys            // names that only the module or only the source has
	Loaded           []Loaded   // the loaded tensors, in the module's order
	Ignored          []string   // names of the source that [Ignore] and [RenameFunc] left out
	Allowed          []string   // missing names that [AllowMissing] or an older file version allows
	Mismatched       []Mismatch // tensors of a different shape, which are errors
	Unused           []string   // patterns that match no name of the source, such as: Rename "bert.**"

	sources map[string][]string
}

// Loaded is a tensor of the module that was loaded, with its name and the source's
// names for it.
type Loaded struct {
	Name string
	From []string
}

// Mismatch is a tensor whose shape in the module differs from its shape in the source.
type Mismatch struct {
	Name             string
	Shape, InTheFile torch.Shape
}

// recordSource records that the module's tensor name is loaded from the source's
// tensors named in from.
func (r *LoadReport) recordSource(name string, from []string) {
	if r.sources == nil {
		r.sources = map[string][]string{}
	}
	r.sources[name] = from
}

func (r *LoadReport) recordLoaded(name string) {
	r.Loaded = append(r.Loaded, Loaded{name, r.sources[name]})
}

// Renamed returns the loaded tensors whose names in the source and in the module differ.
func (r *LoadReport) Renamed() []Loaded {
	if r == nil {
		panic(torch.NewError("LoadReport.Renamed", torch.ErrNil, "receiver", "a nil report"))
	}
	var list []Loaded
	for _, l := range r.Loaded {
		if len(l.From) != 1 || l.From[0] != l.Name {
			list = append(list, l)
		}
	}
	return list
}

// String reports how many tensors were loaded. A line for each kind of problem lists the
// other tensors, and a line for each mismatch gives the two shapes.
func (r *LoadReport) String() string {
	if r == nil {
		return "<nil>"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "loaded %d tensors, %d under other names", len(r.Loaded), len(r.Renamed()))
	for _, part := range []struct {
		what  string
		names []string
	}{
		{"missing", r.MissingKeys},
		{"unknown", r.UnexpectedKeys},
		{"ignored", r.Ignored},
		{"missing and not needed", r.Allowed},
		{"patterns that match no name", r.Unused},
	} {
		if len(part.names) > 0 {
			fmt.Fprintf(&b, "\n%s (%d): %s", part.what, len(part.names), listed(part.names))
		}
	}
	for i, m := range r.Mismatched {
		if i == mostListed {
			fmt.Fprintf(&b, "\ndifferent shapes: %d more", len(r.Mismatched)-i)
			break
		}
		fmt.Fprintf(&b, "\ndifferent shapes: %s has shape %v in the module and %v in the source", plain.Short(m.Name),
			m.Shape, m.InTheFile)
	}
	return b.String()
}
