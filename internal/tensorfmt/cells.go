package tensorfmt

import (
	"math"
	"strconv"
	"strings"
)

// cells are the elements of a tensor as text, before layout.
type cells struct {
	text []string
	// width is the width of a column, which determines the line breaks. Zeros and
	// non-finite numbers do not affect it, so an element may be wider.
	width int
}

// newCells renders every element of v.
func newCells(v Values, s settings) cells {
	switch {
	case s.element != nil:
		return elementCells(v, s.element)
	case v.complexes != nil:
		return complexCells(v.complexes, s)
	case v.floats != nil:
		return floatCells(v.floats, s).padded()
	case v.ints != nil:
		return plainCells(v.ints, func(x int64) string { return strconv.FormatInt(x, 10) })
	case v.uints != nil:
		return plainCells(v.uints, func(x uint64) string { return strconv.FormatUint(x, 10) })
	default:
		return plainCells(v.bools, PyBool)
	}
}

// elementCells prints each element with the function text.
func elementCells(v Values, text func(any) string) cells {
	c := cells{text: make([]string, v.Len()), width: 1}
	for i := range c.text {
		c.text[i] = text(v.at(i))
		c.width = max(c.width, len(c.text[i]))
	}
	return c.padded()
}

// PyBool returns a bool as Python prints it.
func PyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// plainCells prints each element with the function text, in columns of equal width.
func plainCells[T any](v []T, text func(T) string) cells {
	c := cells{text: make([]string, len(v)), width: 1}
	for i, x := range v {
		c.text[i] = text(x)
		c.width = max(c.width, len(c.text[i]))
	}
	return c.padded()
}

// padded right-aligns every element to the column width.
func (c cells) padded() cells {
	for i, t := range c.text {
		c.text[i] = pad(t, c.width)
	}
	return c
}

func pad(t string, width int) string {
	if n := width - len(t); n > 0 {
		return strings.Repeat(" ", n) + t
	}
	return t
}

// floatCells prints all floating-point elements in one notation, chosen to suit all of
// them, without padding.
func floatCells(v []float64, s settings) cells {
	style := chooseStyle(v, s)
	c := cells{text: make([]string, len(v)), width: 1}
	for i, x := range v {
		c.text[i] = style.text(x)
		if counts(x) {
			c.width = max(c.width, len(c.text[i]))
		}
	}
	return c
}

// complexCells prints real and imaginary parts, each in its own notation. Only real parts
// are padded, so columns of imaginary parts are ragged, as in PyTorch.
func complexCells(v []complex128, s settings) cells {
	part := make([]float64, len(v))
	for i, x := range v {
		part[i] = real(x)
	}
	re := floatCells(part, s).padded()
	for i, x := range v {
		part[i] = imag(x)
	}
	im := floatCells(part, s)
	for i, t := range im.text {
		if !strings.HasPrefix(t, "-") {
			t = "+" + t
		}
		re.text[i] += t + "j"
	}
	re.width += im.width + len("j")
	return re
}

// style is a notation for floating-point numbers.
type style struct {
	verb      byte // strconv's 'e' or 'f'
	precision int
	suffix    string
}

// counts reports whether a number affects the notation and the column width: zeros and
// non-finite numbers do not.
func counts(x float64) bool { return x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) }

// chooseStyle chooses a notation. It uses exponents if the numbers are far apart, huge or
// tiny, "3." if all numbers are whole, and a fixed number of digits otherwise.
func chooseStyle(v []float64, s settings) style {
	lowest, highest := math.Inf(1), 0.0
	whole, any := true, false
	for _, x := range v {
		if !counts(x) {
			continue
		}
		any = true
		whole = whole && x == math.Trunc(x)
		lowest, highest = min(lowest, math.Abs(x)), max(highest, math.Abs(x))
	}
	wholeStyle := style{verb: 'f', suffix: "."}
	if !any {
		// all numbers are zero, infinite or NaN, so no exponent is needed even if one was
		// requested
		return wholeStyle
	}
	sci := s.sci == SciOn
	if s.sci == SciAuto {
		sci = highest/lowest > 1000 || highest > 1e8 || lowest < 1e-4
	}
	switch {
	case sci:
		return style{verb: 'e', precision: s.precision}
	case whole:
		return wholeStyle
	default:
		return style{verb: 'f', precision: s.precision}
	}
}

func (st style) text(x float64) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return strconv.FormatFloat(x, st.verb, st.precision, 64) + st.suffix
}

// PyFloat formats a number as Python's str(x) does: as the shortest text that reads back
// as x, but always recognizable as a float. It prints 1e-05, not 1e-5, and 0.0, not 0. It
// is used for the suffixes of quantized tensors, and for layers and optimizers.
func PyFloat(x float64) string {
	switch {
	case !counts(x) && x != 0:
		return style{}.text(x)
	case x != 0 && (math.Abs(x) >= 1e16 || math.Abs(x) < 1e-4):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	t := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(t, ".") {
		t += ".0"
	}
	return t
}
