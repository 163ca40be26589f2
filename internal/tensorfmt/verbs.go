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

// Elements is the kind of a tensor's elements. It determines which verbs can print them.
type Elements uint8

const (
	// IntegerElements are integers, including the elements of quantized tensors.
	IntegerElements Elements = iota
	// BoolElements are bools.
	BoolElements
	// OtherElements are floating-point and complex numbers.
	OtherElements
)

// Suits reports whether a verb of package fmt can print the elements. Verbs for
// floating-point numbers can print all elements. Verbs for integers can also print bools,
// as 0 and 1.
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

// Verb prints one element with a verb of package fmt, including width and flags. It is
// used for [Options].Element.
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

// complexElement prints a complex number as Python does, such as 1+2j. The width applies
// to the whole number.
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
