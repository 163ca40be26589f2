package torch

import (
	"fmt"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// A PrintOption is an option of [SetPrintOptions]: [Precision], [Threshold],
// [EdgeItems], [LineWidth], [SciMode] or a [PrintProfile].
//
//gotorch:options Precision Threshold EdgeItems LineWidth SciMode PrintProfile
type PrintOption interface{ printOption() }

// Precision is the number of digits after the decimal point. The default is 4.
// It is precision in Python.
type Precision int

// Threshold is the number of elements above which a tensor is summarized. The
// default is 1000.
type Threshold int

// EdgeItems is the number of entries shown at each end of a dimension of a
// summarized tensor. The default is 3. It is edgeitems in Python.
type EdgeItems int

// LineWidth is the number of characters at which lines wrap. The default is 80.
// It is linewidth in Python.
type LineWidth int

// SciMode prints floating-point numbers with an exponent (true) or without one (false).
// By default, an exponent is printed if the shown numbers are far apart, huge or tiny. It
// is sci_mode in Python.
type SciMode bool

// PrintProfile is a named set of print options. It is profile in Python.
type PrintProfile string

// These are the profiles of print options.
const (
	PrintProfileDefault PrintProfile = "default" // the defaults of all options
	PrintProfileShort   PrintProfile = "short"   // 2 digits, 2 entries at each end
	PrintProfileFull    PrintProfile = "full"    // every element
)

// printOptions holds the options set with SetPrintOptions.
var printOptions atomic.Pointer[tensorfmt.Options]

func currentPrintOptions() tensorfmt.Options {
	if o := printOptions.Load(); o != nil {
		return *o
	}
	return tensorfmt.Options{}
}

// SetPrintOptions changes how String and package fmt print tensors, for the
// whole process. Options that are not given stay unchanged, except that
// [SciMode] returns to automatic, as in Python. A profile first resets all
// other options, so SetPrintOptions(PrintProfileDefault) undoes all earlier
// calls. It panics with ErrValue for a negative number or an unknown profile,
// and with ErrNil for a nil option. Follows torch.set_printoptions.
func SetPrintOptions(opts ...PrintOption) {
	o := currentPrintOptions()
	o.SciMode = tensorfmt.SciAuto
	o = readPrintOptions("SetPrintOptions", o, opts)
	printOptions.Store(&o)
}

// StringWith is [Tensor.String] with the given print options. Options that are not given
// have the values set with [SetPrintOptions]. It panics as the function SetPrintOptions
// does, and prints nil and closed tensors as String does.
func (t *Tensor) StringWith(opts ...PrintOption) string {
	return t.text(readPrintOptions("StringWith", currentPrintOptions(), opts))
}

// readPrintOptions returns o with the options applied.
func readPrintOptions(op string, o tensorfmt.Options, opts []PrintOption) tensorfmt.Options {
	for _, opt := range opts { // a profile applies first, wherever it stands
		if p, ok := opt.(PrintProfile); ok {
			o = tensorfmt.Options{Profile: profileOf(op, p)}
		}
	}
	for _, opt := range opts {
		switch v := opt.(type) {
		case Precision:
			o.Precision = literal(op, "Precision", int(v))
		case Threshold:
			o.Threshold = literal(op, "Threshold", int(v))
		case EdgeItems:
			o.EdgeItems = literal(op, "EdgeItems", int(v))
		case LineWidth:
			o.LineWidth = literal(op, "LineWidth", int(v))
		case SciMode:
			o.SciMode = tensorfmt.SciOff
			if v {
				o.SciMode = tensorfmt.SciOn
			}
		case PrintProfile:
		default:
			panic(badOption(op, v))
		}
	}
	return o
}

// literal converts n for package tensorfmt, in which 0 means the default and a
// negative number means 0.
func literal(op, name string, n int) int {
	switch {
	case n < 0:
		panic(argError(op, ErrValue, name, fmt.Sprintf("expected a number that is not negative, got %d", n)))
	case n == 0:
		return -1
	}
	return n
}

func profileOf(op string, p PrintProfile) tensorfmt.Profile {
	switch p {
	case PrintProfileDefault:
		return tensorfmt.ProfileDefault
	case PrintProfileShort:
		return tensorfmt.ProfileShort
	case PrintProfileFull:
		return tensorfmt.ProfileFull
	}
	panic(argError(op, ErrValue, "PrintProfile", fmt.Sprintf("expected default, short or full, got %q", string(p))))
}
