package npy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// parse parses the header's dictionary, which is a Python literal.
func parse(s string) (h Header, err error) {
	p := &literal{strings.TrimRight(s, " \n")}
	if !p.take('{') {
		return h, errors.New("expected a dictionary")
	}
	seen := map[string]bool{}
	for !p.take('}') {
		key, err := p.text()
		if err == nil && !p.take(':') {
			err = fmt.Errorf("%.100q has no value", key)
		}
		if err != nil {
			return h, err
		}
		switch key {
		case "descr":
			h.Descr, err = p.value()
		case "fortran_order":
			h.Fortran, err = p.bool()
		case "shape":
			h.Shape, err = p.shape()
		default:
			err = fmt.Errorf("a key %.100q", key)
		}
		if err != nil {
			return h, err
		}
		seen[key] = true
		if !p.take(',') && !p.at('}') {
			return h, errors.New("the dictionary has no end")
		}
	}
	if len(seen) != 3 || p.s != "" {
		return h, errors.New("expected descr, fortran_order and shape")
	}
	return h, h.describe()
}

// literal is the part of a Python literal that has not been parsed yet.
type literal struct{ s string }

func (p *literal) at(c byte) bool {
	p.s = strings.TrimLeft(p.s, " \t\n")
	return p.s != "" && p.s[0] == c
}

func (p *literal) take(c byte) bool {
	ok := p.at(c)
	if ok {
		p.s = p.s[1:]
	}
	return ok
}

// text parses a quoted string. It does not support backslashes, because NumPy writes none
// in a header.
func (p *literal) text() (string, error) {
	p.take('u') // the prefix of a Python 2 string
	for _, quote := range []byte{'\'', '"'} {
		if p.take(quote) {
			end := strings.IndexByte(p.s, quote)
			if end < 0 {
				return "", errors.New("an unterminated string")
			}
			text := p.s[:end]
			p.s = p.s[end+1:]
			return text, nil
		}
	}
	return "", errors.New("expected a string")
}

// value parses a string. If it finds a list, such as a dtype with several fields, it
// returns the list's text unparsed.
func (p *literal) value() (string, error) {
	if !p.at('[') {
		return p.text()
	}
	depth := 0
	quote := byte(0)
	for i := range len(p.s) {
		switch c := p.s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				text := p.s[:i+1]
				p.s = p.s[i+1:]
				return text, nil
			}
		}
	}
	return "", errors.New("an unterminated list")
}

func (p *literal) bool() (bool, error) {
	p.at(0)
	for word, value := range map[string]bool{"True": true, "False": false} {
		if rest, ok := strings.CutPrefix(p.s, word); ok {
			p.s = rest
			return value, nil
		}
	}
	return false, errors.New("fortran_order is neither True nor False")
}

func (p *literal) shape() (out []int64, err error) {
	if !p.take('(') {
		return nil, errors.New("shape is not a tuple")
	}
	out = []int64{}
	for !p.take(')') {
		p.at(0)
		end := strings.IndexFunc(p.s, func(r rune) bool { return r < '0' || r > '9' })
		if end < 1 {
			return nil, errors.New("shape contains something other than numbers")
		}
		n, err := strconv.ParseInt(p.s[:end], 10, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		p.s = strings.TrimPrefix(p.s[end:], "L") // the suffix of a Python 2 number
		comma := p.take(',')
		if !comma && (len(out) == 1 || !p.at(')')) {
			return nil, errors.New("shape is not a tuple")
		}
		if len(out) > maxDims {
			return nil, fmt.Errorf("shape has more than %d dimensions", maxDims)
		}
	}
	return out, nil
}

// describe parses a dtype, such as "<f4", ">u2", "|b1" or "<M8[ns]".
func (h *Header) describe() error {
	s := h.Descr
	if strings.HasPrefix(s, "[") {
		h.Kind = Structured
		return nil
	}
	bad := fmt.Errorf("dtype %.100q", s)
	if s == "" {
		return bad
	}
	switch s[0] {
	case '>':
		h.BigEndian = true
		s = s[1:]
	case '<', '|', '=':
		s = s[1:]
	}
	s, unit, timed := strings.Cut(s, "[")
	if s == "" || timed && !strings.HasSuffix(unit, "]") {
		return bad
	}
	h.Kind = Kind(s[0])
	if h.Kind == '?' && s == "?" {
		h.Kind, h.Size = Bool, 1
		return nil
	}
	if h.Kind == Object && !timed {
		return nil
	}
	n, err := strconv.ParseInt(s[1:], 10, 32)
	if err != nil || n < 0 || s[1] == '+' || timed && h.Kind != DateTime && h.Kind != TimeDelta {
		return bad
	}
	sizes, ok := map[Kind][]int64{
		Bool: {1}, Int: {1, 2, 4, 8}, Uint: {1, 2, 4, 8}, Float: {2, 4, 8, 12, 16}, Complex: {8, 16, 24, 32},
		TimeDelta: {8}, DateTime: {8}, Bytes: nil, Unicode: nil, Void: nil,
	}[h.Kind]
	if !ok {
		return bad
	}
	if h.Kind == Unicode {
		if n > math.MaxInt32/4 {
			return bad
		}
		n *= 4
	}
	for _, size := range sizes {
		if n == size {
			sizes = nil
		}
	}
	if sizes != nil {
		return bad
	}
	h.Size = n
	return nil
}
