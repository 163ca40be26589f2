package export

import (
	"math/bits"
	"strconv"
	"strings"
)

// expression is a size as SymPy's srepr writes it, such as Add(Symbol('s0'), Integer(1)).
type expression struct {
	function string
	name     string // of a symbol
	number   int64  // of an integer
	args     []*expression
}

// parseExpression reads an expression. What it does not know becomes an expression without
// a value. Older versions write a symbol as its name alone.
func parseExpression(text string) *expression {
	p := &expressionParser{text: text}
	e := p.expression(0)
	switch {
	case p.text == text && !strings.ContainsAny(text, " ()*+-/'"):
		return &expression{function: "Symbol", name: text}
	case p.text != "":
		return &expression{}
	}
	return e
}

type expressionParser struct{ text string } // what is left

// expression reads a function and its arguments, and leaves the text alone if there is none.
func (p *expressionParser) expression(depth int) *expression {
	name, rest, ok := strings.Cut(p.text, "(")
	if !ok || depth > deepest || strings.ContainsAny(name, ",) '") {
		return &expression{}
	}
	p.text = rest
	e := &expression{function: name}
	switch name {
	case "Symbol", "Integer":
		inside, rest, _ := strings.Cut(p.text, ")")
		first, _, _ := strings.Cut(inside, ",")
		e.name = strings.Trim(first, "'")
		e.number, _ = strconv.ParseInt(first, 10, 64)
		p.text = rest
		return e
	}
	for p.text != "" && p.text[0] != ')' {
		before := p.text
		e.args = append(e.args, p.expression(depth+1))
		if p.text == before { // an argument such as evaluate=False
			return &expression{}
		}
		p.text = strings.TrimPrefix(p.text, ", ")
	}
	p.text = strings.TrimPrefix(p.text, ")")
	return e
}

// value returns the value of a sum or a product. ok is false for other functions, for
// symbols that are not known, and for values that do not fit.
func (e *expression) value(known map[string]int64) (v int64, ok bool) {
	switch e.function {
	case "Symbol":
		v, ok = known[e.name]
		return v, ok
	case "Integer":
		return e.number, true
	case "Add", "Mul":
	default:
		return 0, false
	}
	if e.function == "Mul" {
		v = 1
	}
	for _, a := range e.args {
		n, ok := a.value(known)
		if !ok {
			return 0, false
		}
		if e.function == "Add" {
			v += n
		} else if hi, lo := bits.Mul64(uint64(max(v, -v)), uint64(max(n, -n))); hi != 0 || lo > 1<<62 {
			return 0, false
		} else {
			v *= n
		}
		if v > 1<<62 || v < -1<<62 {
			return 0, false
		}
	}
	return v, true
}

// String formats the expression for errors.
func (e *expression) String() string {
	switch e.function {
	case "Symbol":
		return e.name
	case "Integer":
		return strconv.FormatInt(e.number, 10)
	}
	args := make([]string, len(e.args))
	for i, a := range e.args {
		args[i] = a.String()
	}
	switch e.function {
	case "Add":
		return strings.Join(args, " + ")
	case "Mul":
		return strings.Join(args, "*")
	}
	return e.function + "(" + strings.Join(args, ", ") + ")"
}
