package chat

import (
	"math"
	"strconv"
	"strings"
)

// filterToJSON is the filter tojson of transformers: Python's json.dumps.
func filterToJSON(r *renderer, v any, c *call) any {
	c.limit(4, "ensure_ascii", "indent", "separators", "sort_keys")
	w := &jsonWriter{
		r: r, line: c.line, item: ", ", colon: ": ", ascii: truth(c.arg(0, "ensure_ascii", false)),
		sorted: truth(c.arg(3, "sort_keys", false)),
	}
	switch indent := c.arg(1, "indent", nil).(type) {
	case nil:
	case string:
		w.indent, w.pretty = indent, true
	default:
		w.indent, w.pretty = strings.Repeat(" ", int(min(max(c.integer(1, "indent", 0), 0), 100))), true
	}
	if w.pretty {
		w.item = ","
	}
	if l, ok := c.arg(2, "separators", nil).(*list); ok {
		if len(l.items) != 2 {
			fail(ErrRender, c.line, "separators are not two")
		}
		w.item, w.colon = r.str(l.items[0], c.line), r.str(l.items[1], c.line)
	}
	w.write(v, 0)
	return r.text(w.b.String(), c.line)
}

type jsonWriter struct {
	r           *renderer
	b           strings.Builder
	line        int
	item, colon string
	indent      string
	pretty      bool
	ascii       bool
	sorted      bool
}

func (w *jsonWriter) newline(depth int) {
	if w.pretty {
		if len(w.indent) > maxBytes/(depth+1) {
			fail(ErrLimit, w.line, "the indent of tojson is too long")
		}
		w.b.WriteByte('\n')
		w.b.WriteString(strings.Repeat(w.indent, depth))
	}
}

func (w *jsonWriter) write(v any, depth int) {
	w.r.step(w.line)
	if depth > maxDepth || w.b.Len() > maxBytes {
		fail(ErrLimit, w.line, "a value is too large for tojson")
	}
	switch v := v.(type) {
	case nil:
		w.b.WriteString("null")
	case bool:
		w.b.WriteString(strconv.FormatBool(v))
	case int64:
		w.b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		w.b.WriteString(jsonFloat(v))
	case string:
		w.str(v)
	case *list:
		if len(v.items) == 0 {
			w.b.WriteString("[]")
			return
		}
		for i, x := range v.items {
			if i > 0 {
				w.b.WriteString(w.item)
			} else {
				w.b.WriteByte('[')
			}
			w.newline(depth + 1)
			w.write(x, depth+1)
		}
		w.newline(depth)
		w.b.WriteByte(']')
	case *dict:
		w.dict(v, depth)
	default:
		fail(ErrRender, w.line, "%s is not JSON serializable", typeName(v))
	}
}

func (w *jsonWriter) dict(d *dict, depth int) {
	if len(d.keys) == 0 {
		w.b.WriteString("{}")
		return
	}
	keys := d.keys
	if w.sorted {
		keys = w.r.sorted(keys, func(v any) any { return v }, false, w.line)
	}
	for i, k := range keys {
		if i > 0 {
			w.b.WriteString(w.item)
		} else {
			w.b.WriteByte('{')
		}
		w.newline(depth + 1)
		switch k := k.(type) {
		case string:
			w.str(k)
		case nil:
			w.str("null")
		case float64:
			w.str(jsonFloat(k))
		case bool:
			w.str(strconv.FormatBool(k))
		default:
			w.str(str(k))
		}
		w.b.WriteString(w.colon)
		w.write(d.at(k), depth+1)
	}
	w.newline(depth)
	w.b.WriteByte('}')
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return floatRepr(f)
}

func (w *jsonWriter) str(s string) {
	w.b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			w.b.WriteByte('\\')
			w.b.WriteRune(c)
		case c == '\n':
			w.b.WriteString(`\n`)
		case c == '\r':
			w.b.WriteString(`\r`)
		case c == '\t':
			w.b.WriteString(`\t`)
		case c == '\b':
			w.b.WriteString(`\b`)
		case c == '\f':
			w.b.WriteString(`\f`)
		case c < 0x20 || w.ascii && c >= 0x7F && c < 0x10000 && c != 0x7F:
			w.b.WriteString(`\u` + hex(c, 4))
		case w.ascii && c >= 0x10000:
			c -= 0x10000
			w.b.WriteString(`\u` + hex(0xD800+c>>10, 4) + `\u` + hex(0xDC00+c&0x3FF, 4))
		default:
			w.b.WriteRune(c)
		}
	}
	w.b.WriteByte('"')
}
