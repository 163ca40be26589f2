package torch

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format makes package fmt print tensors.
//
//	%v %s           as String does; a precision, as in %.2v, is the number of digits
//	%q              that text, quoted
//	%f %e %g ...    each element as fmt prints a float64, width and flags included
//	%d %x %b %o ... each element as fmt prints an int64 or uint64
//	%t              each element as fmt prints a bool
//
// A tensor without dimensions prints as the bare number where the verb is for
// numbers, as Python's format(t, ".4f") does: fmt.Printf("%.4f", loss). Integers
// and bools count as floating-point numbers for %f and its like, bools as 0 and
// 1 for %d. A verb that does not fit the dtype prints an error in fmt's style.
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
	case !fits(verb, t.DType()):
		fmt.Fprintf(f, "%%!%c(*torch.Tensor=%s)", verb, t.text(o))
	default:
		o.Element = func(v any) string { return element(f, verb, v) }
		_, _ = io.WriteString(f, t.text(o))
	}
}

const (
	floatVerbs = "eEfFgG"
	intVerbs   = "bdoOxX"
)

// fits reports whether the verb prints elements of the dtype.
func fits(verb rune, d DType) bool {
	switch {
	case strings.ContainsRune(floatVerbs, verb):
		return true
	case strings.ContainsRune(intVerbs, verb):
		return !d.IsFloatingPoint() && !d.IsComplex()
	case verb == 't':
		return d == Bool
	}
	return false
}

// element prints one element as the verb asks for.
func element(f fmt.State, verb rune, v any) string {
	spec := fmt.FormatString(f, verb)
	switch x := v.(type) {
	case bool:
		if verb == 't' {
			return fmt.Sprintf(spec, x)
		}
		var n int64
		if x {
			n = 1
		}
		return element(f, verb, n)
	case complex128:
		return complexElement(f, verb, x)
	case int64:
		if strings.ContainsRune(floatVerbs, verb) {
			v = float64(x)
		}
	case uint64:
		if strings.ContainsRune(floatVerbs, verb) {
			v = float64(x)
		}
	}
	return fmt.Sprintf(spec, v)
}

// complexElement prints 1+2j as Python writes it. The width is that of the whole.
func complexElement(f fmt.State, verb rune, x complex128) string {
	re, im := "%", "%+"
	if f.Flag('+') {
		re = "%+"
	}
	var digits string
	if n, ok := f.Precision(); ok {
		digits = "." + strconv.Itoa(n)
	}
	digits += string(verb)
	text := fmt.Sprintf(re+digits, real(x)) + fmt.Sprintf(im+digits, imag(x)) + "j"
	if width, ok := f.Width(); ok {
		if f.Flag('-') {
			width = -width
		}
		text = fmt.Sprintf("%*s", width, text)
	}
	return text
}
