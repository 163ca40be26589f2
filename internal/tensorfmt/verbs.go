package tensorfmt

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	floatVerbs = "eEfFgG"
	intVerbs   = "bdoOxX"
)

// Elements says what the elements of a tensor are, for the verbs that suit them.
type Elements uint8

const (
	// IntegerElements are integers, as quantized ones are.
	IntegerElements Elements = iota
	// BoolElements are bools.
	BoolElements
	// OtherElements are floating-point and complex numbers.
	OtherElements
)

// Suits reports whether a verb of package fmt prints such elements: those for
// floating-point numbers print all, those for integers bools too, as 0 and 1.
func (e Elements) Suits(verb rune) bool {
	switch {
	case strings.ContainsRune(floatVerbs, verb):
		return true
	case strings.ContainsRune(intVerbs, verb):
		return e != OtherElements
	case verb == 't':
		return e == BoolElements
	}
	return false
}

// Verb prints one element, as Options.Element gets it, the way a verb of package fmt
// asks for, width and flags included.
func Verb(f fmt.State, verb rune, v any) string {
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
		return Verb(f, verb, n)
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
