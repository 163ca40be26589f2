package chat

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Values of templates are nil, bool, int64, float64, string, *list, *dict, *namespace,
// undefined, *macro, *loop and function.

// A list is a list or a tuple.
type list struct {
	items []any
	tuple bool
}

// A dict is a dictionary in the order of insertion. values has the keys as normalKey makes them.
type dict struct {
	keys   []any
	values map[any]any
}

func newDict() *dict { return &dict{values: map[any]any{}} }

func (d *dict) set(key, value any) {
	k := normalKey(key)
	if _, ok := d.values[k]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[k] = value
}

// at returns the value of a key of d.
func (d *dict) at(key any) any { return d.values[normalKey(key)] }

func (d *dict) get(key any) (any, bool) {
	switch key.(type) {
	case string, int64, float64, bool, nil:
		v, ok := d.values[normalKey(key)]
		return v, ok
	}
	return nil, false
}

// normalKey makes keys equal that are equal in Python, such as 1, 1.0 and True.
func normalKey(key any) any {
	switch k := key.(type) {
	case bool:
		if k {
			return int64(1)
		}
		return int64(0)
	case float64:
		if k == math.Trunc(k) && math.Abs(k) < 1<<53 {
			return int64(k)
		}
	}
	return key
}

type namespace struct{ *dict }

// An undefined is the value of a missing name.
type undefined struct{ what string }

// A function is a function or a method of a value.
type function struct {
	name string
	call func(r *renderer, c *call) any
}

// A call holds the arguments of a call.
type call struct {
	r     *renderer
	what  string
	pos   []any
	named map[string]any
	names []string // the keys of named in the order of the call
	line  int
}

// order returns the names of the arguments in the order of the call.
func (c *call) order() []string {
	if len(c.names) == len(c.named) {
		return c.names
	}
	return sortedKeys(c.named)
}

// arg returns argument i, which may also be given by name, or def.
func (c *call) arg(i int, name string, def any) any {
	if i < len(c.pos) {
		return c.pos[i]
	}
	if v, ok := c.named[name]; ok {
		return v
	}
	return def
}

func (c *call) str(i int, name, def string) string {
	v := c.arg(i, name, def)
	s, ok := v.(string)
	if !ok {
		fail(ErrRender, c.line, "%s: %s is no string", c.what, repr(v))
	}
	return s
}

func (c *call) integer(i int, name string, def int64) int64 {
	v := c.arg(i, name, def)
	if b, ok := v.(bool); ok {
		return normalKey(b).(int64)
	}
	n, ok := v.(int64)
	if !ok {
		fail(ErrRender, c.line, "%s: %s is no integer", c.what, repr(v))
	}
	return n
}

// limit checks the number of arguments and their names.
func (c *call) limit(n int, names ...string) {
	if len(c.pos) > n {
		fail(ErrRender, c.line, "%s takes at most %d arguments", c.what, n)
	}
	for k := range c.named {
		known := false
		for _, name := range names {
			known = known || name == k
		}
		if !known {
			fail(ErrRender, c.line, "%s has no argument %q", c.what, k)
		}
	}
}

// truth is Python's bool.
func truth(v any) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case *list:
		return len(v.items) > 0
	case *dict:
		return len(v.keys) > 0
	}
	return true
}

// str is Python's str.
func str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	if _, ok := v.(undefined); ok {
		return ""
	}
	return repr(v)
}

// repr is Python's repr.
func repr(v any) string {
	var b strings.Builder
	writeRepr(&b, v, 0)
	return b.String()
}

func writeRepr(b *strings.Builder, v any, depth int) {
	if depth > maxDepth || b.Len() > maxBytes {
		fail(ErrLimit, 0, "a value is too large to print")
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case undefined:
		b.WriteString("Undefined")
	case bool:
		b.WriteString(strings.ToUpper(strconv.FormatBool(v)[:1]) + strconv.FormatBool(v)[1:])
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(floatRepr(v))
	case string:
		writeStringRepr(b, v)
	case *list:
		open, end := "[", "]"
		if v.tuple {
			open, end = "(", ")"
			if len(v.items) == 1 {
				end = ",)"
			}
		}
		b.WriteString(open)
		for i, x := range v.items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeRepr(b, x, depth+1)
		}
		b.WriteString(end)
	case *dict:
		b.WriteString("{")
		for i, k := range v.keys {
			if i > 0 {
				b.WriteString(", ")
			}
			writeRepr(b, k, depth+1)
			b.WriteString(": ")
			writeRepr(b, v.at(k), depth+1)
		}
		b.WriteString("}")
	case *namespace:
		b.WriteString("<Namespace ")
		writeRepr(b, v.dict, depth+1)
		b.WriteString(">")
	case *macro:
		b.WriteString("<Macro ")
		writeRepr(b, v.name, depth+1)
		b.WriteString(">")
	default:
		fail(ErrUnsupported, 0, "printing a function")
	}
}

func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		s := strconv.FormatFloat(f, 'e', -1, 64)
		return s
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func writeStringRepr(b *strings.Builder, s string) {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			b.WriteString(`\x` + hex(r, 2))
		case r < 0x10000:
			b.WriteString(`\u` + hex(r, 4))
		default:
			b.WriteString(`\U` + hex(r, 8))
		}
	}
	b.WriteByte(quote)
}

func hex(r rune, n int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", max(n-len(s), 0)) + s
}
