package serialization

import (
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/gotorch/gotorch/torch"
)

// longestRepr is the approximate limit on the length of a repr. Without it, a small file
// that refers to the same parts repeatedly could have a huge repr.
const longestRepr = 1 << 20

// Repr formats a value as Python's repr does. The value is one that [Load] returns or
// [Save] accepts. Tensors are formatted as PyTorch prints them. A text longer than about
// a megabyte is truncated and ends in "...".
func Repr(v any) string {
	p := printer{most: longestRepr}
	p.value(v, 0)
	return p.String()
}

// printer prints values in Python's syntax, up to a limit on the length.
type printer struct {
	strings.Builder
	most int
}

func (p *printer) full() bool { return p.Len() > p.most }

func (p *printer) list(open, end string, n, depth int, item func(i int)) {
	p.WriteString(open)
	for i := range n {
		if p.full() {
			p.WriteString("...")
			break
		}
		if i > 0 {
			p.WriteString(", ")
		}
		item(i)
	}
	p.WriteString(end)
}

func (p *printer) items(open, end string, items []any, depth int) {
	p.list(open, end, len(items), depth, func(i int) { p.value(items[i], depth+1) })
}

func (p *printer) value(v any, depth int) {
	if depth > deepest || p.full() {
		p.WriteString("...")
		return
	}
	switch v := v.(type) {
	case nil:
		p.WriteString("None")
	case bool:
		p.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case string:
		p.WriteString(quote(v, p.most))
	case []byte:
		p.WriteString("b" + quoteBytes(v, p.most))
	case ByteArray:
		p.WriteString("bytearray(b" + quoteBytes(v, p.most) + ")")
	case float32:
		p.WriteString(float(float64(v)))
	case float64:
		p.WriteString(float(v))
	case complex128:
		p.WriteString(complexText(v))
	case *big.Int:
		text := v.String()
		if len(text) > p.most {
			text = text[:p.most] + "..."
		}
		p.WriteString(text)
	case []any:
		p.items("[", "]", v, depth)
	case Tuple:
		p.tuple(v, depth)
	case *Set:
		p.set(v, depth)
	case *Dict:
		p.dict(v, depth)
	case torch.Shape:
		p.WriteString("torch.Size([")
		for i, n := range v {
			if i > 0 {
				p.WriteString(", ")
			}
			p.WriteString(strconv.FormatInt(n, 10))
		}
		p.WriteString("])")
	case torch.DType, torch.Layout:
		p.WriteString(dotted(fmt.Sprint(v)))
	case torch.Device:
		if v.Index() >= 0 {
			fmt.Fprintf(p, "device(type='%s', index=%d)", v.Type(), v.Index())
		} else {
			fmt.Fprintf(p, "device(type='%s')", v.Type())
		}
	case *Parameter:
		p.WriteString("Parameter containing:\n")
		p.value(v.Tensor, depth+1)
	case *Attributed:
		p.value(v.Tensor, depth+1)
	case *Object:
		p.object(v, depth)
	default:
		p.other(v, depth)
	}
}

func dotted(s string) string {
	if strings.HasPrefix(s, "torch.") {
		return s
	}
	return "torch." + s
}

func (p *printer) tuple(v []any, depth int) {
	if len(v) == 1 {
		p.items("(", ",)", v, depth)
		return
	}
	p.items("(", ")", v, depth)
}

func (p *printer) set(s *Set, depth int) {
	switch {
	case s.Frozen && len(s.Items) == 0:
		p.WriteString("frozenset()")
	case s.Frozen:
		p.items("frozenset({", "})", s.Items, depth)
	case len(s.Items) == 0:
		p.WriteString("set()")
	default:
		p.items("{", "}", s.Items, depth)
	}
}

func (p *printer) dict(d *Dict, depth int) {
	if d == nil {
		p.WriteString("None")
		return
	}
	open, end := "{", "}"
	if d.Class != PlainDict {
		open, end = strings.TrimPrefix(string(d.Class), "collections.")+"({", "})"
		if len(d.keys) == 0 {
			open, end = strings.TrimSuffix(open, "{"), ")"
		}
	}
	p.list(open, end, len(d.keys), depth, func(i int) {
		p.value(d.keys[i], depth+1)
		p.WriteString(": ")
		p.value(d.values[i], depth+1)
	})
}

func (p *printer) object(o *Object, depth int) {
	p.WriteString(o.Global)
	if o.Called {
		p.tuple0(o.Args, depth)
	}
}

func (p *printer) tuple0(args []any, depth int) { p.items("(", ")", args, depth) }

func (p *printer) other(v any, depth int) {
	if n, ok := integer(v); ok {
		p.value(n, depth)
		return
	}
	if n, ok := v.(int64); ok {
		p.WriteString(strconv.FormatInt(n, 10))
		return
	}
	if t, ok := v.(fmt.Stringer); ok {
		p.WriteString(t.String())
		return
	}
	if s := reflect.ValueOf(v); s.Kind() == reflect.Slice {
		p.list("[", "]", s.Len(), depth, func(i int) { p.value(s.Index(i).Interface(), depth+1) })
		return
	}
	fmt.Fprint(p, v)
}

// integer returns a value of any integer type as an int64 or a *big.Int.
func integer(v any) (any, bool) {
	switch v := v.(type) {
	case int64:
		return v, false
	case int:
		return int64(v), true
	}
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
	case r.CanInt():
		return r.Int(), true
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint()), true
	case r.CanUint():
		return new(big.Int).SetUint64(r.Uint()), true
	}
	return nil, false
}

// float formats a number as Python's repr does.
func float(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	var s string
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		s = strconv.FormatFloat(f, 'e', -1, 64)
	} else {
		s = strconv.FormatFloat(f, 'f', -1, 64)
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func complexText(c complex128) string {
	part := func(f float64) string { return strings.TrimSuffix(float(f), ".0") }
	im := part(imag(c))
	if real(c) == 0 && !math.Signbit(real(c)) {
		return im + "j"
	}
	if !strings.HasPrefix(im, "-") {
		im = "+" + im
	}
	return "(" + part(real(c)) + im + "j)"
}

// quote quotes a string as Python does, and truncates it if its length in bytes exceeds
// most.
func quote(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "..."
	}
	mark := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		mark = '"'
	}
	var b strings.Builder
	b.WriteByte(mark)
	for _, r := range s {
		switch {
		case r == rune(mark) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(mark)
	return b.String()
}

func quoteBytes(v []byte, most int) string {
	if len(v) > most {
		v = v[:most]
	}
	var b strings.Builder
	b.WriteByte('\'')
	for _, c := range v {
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= 0x20 && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
