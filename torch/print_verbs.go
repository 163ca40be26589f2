package torch

import (
	"fmt"
	"io"
	"strconv"

	"github.com/gotorch/gotorch/internal/tensorfmt"
)

// Format makes package fmt print tensors.
//
//	%v %s           as String does; a precision, as in %.2v, is the number of digits
//	%q              that text, quoted
//	%f %e %g ...    each element as fmt prints a float64, width and flags included
//	%d %x %b %o ... each element as fmt prints an int64 or uint64
//	%t              each element as fmt prints a bool
//
// A tensor without dimensions prints as the bare number if the verb is for numbers, as
// Python's format(t, ".4f") does: fmt.Printf("%.4f", loss). %f and similar verbs treat
// integers and bools as floating-point numbers, and %d treats bools as 0 and 1. A verb
// that does not fit the dtype prints an error in fmt's style.
func (t *Tensor) Format(f fmt.State, verb rune) {
	o := currentPrintOptions()
	switch {
	case verb == 'v' || verb == 's':
		if digits, ok := f.Precision(); ok {
			o = readPrintOptions("Format", o, []PrintOption{Precision(digits)})
		}
		_, _ = io.WriteString(f, t.text(o))
	case verb == 'q':
		_, _ = io.WriteString(f, strconv.Quote(t.text(o)))
	case t.IsClosed():
		_, _ = io.WriteString(f, t.text(o))
	case !elementsOf(t.DType()).Suits(verb):
		fmt.Fprintf(f, "%%!%c(*torch.Tensor=%s)", verb, t.text(o))
	default:
		o.Element = func(v any) string { return tensorfmt.Verb(f, verb, v) }
		_, _ = io.WriteString(f, t.text(o))
	}
}

// elementsOf returns the kind of verbs that apply to the dtype.
func elementsOf(d DType) tensorfmt.Elements {
	switch {
	case d == Bool:
		return tensorfmt.BoolElements
	case d.IsFloatingPoint() || d.IsComplex():
		return tensorfmt.OtherElements
	}
	return tensorfmt.IntegerElements
}
