package chat

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// unescape reads the escapes of a string of a template.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
		switch at := strings.IndexByte(`abfnrtv\'"`, c); {
		case at >= 0:
			b.WriteByte("\a\b\f\n\r\t\v\\'\""[at])
		case c == '\n':
		case digits > 0 && i+digits <= len(s):
			n, err := strconv.ParseUint(s[i:i+digits], 16, 32)
			if err != nil || n > utf8.MaxRune {
				fail(ErrSyntax, 0, "a bad escape in a string")
			}
			b.WriteRune(rune(n))
			i += digits
		case c >= '0' && c <= '7':
			end := i
			for end < len(s) && end < i+2 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			n, _ := strconv.ParseUint(s[i-1:end], 8, 32)
			b.WriteRune(rune(n))
			i = end
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// percent is Python's s % v.
func (r *renderer) percent(s string, v any, line int) string {
	args := []any{v}
	if l, ok := v.(*list); ok && l.tuple {
		args = l.items
	}
	var b strings.Builder
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			break
		}
		b.WriteString(s[:at])
		s = s[at+1:]
		n := 0
		for n < len(s) && strings.IndexByte("-+ 0123456789.", s[n]) >= 0 {
			n++
		}
		if n == len(s) || n > 8 {
			fail(ErrRender, line, "an incomplete format")
		}
		flags, verb := s[:n], s[n]
		s = s[n+1:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		if len(args) == 0 {
			fail(ErrRender, line, "too few values for a format")
		}
		b.WriteString(r.formatOne(flags, verb, args[0], line))
		args = args[1:]
		if b.Len() > maxBytes {
			fail(ErrLimit, line, "a string is too long")
		}
	}
	if len(args) > 0 {
		if _, isDict := v.(*dict); !isDict {
			fail(ErrRender, line, "too many values for a format")
		}
	}
	return b.String() + s
}

func (r *renderer) formatOne(flags string, verb byte, v any, line int) string {
	i, f, isInt, ok := number(v)
	switch {
	case verb == 's':
		return fmt.Sprintf("%"+flags+"s", r.str(v, line))
	case verb == 'r':
		return fmt.Sprintf("%"+flags+"s", r.text(repr(v), line))
	case (verb == 'd' || verb == 'i') && ok:
		if !isInt {
			i = int64(f)
		}
		return fmt.Sprintf("%"+flags+"d", i)
	case (verb == 'x' || verb == 'X' || verb == 'o') && isInt:
		return fmt.Sprintf("%"+flags+string(verb), i)
	case strings.IndexByte("feEgG", verb) >= 0 && ok && (verb == 'f' || verb == 'e' || verb == 'E'):
		return fmt.Sprintf("%"+flags+string(verb), f)
	}
	fail(ErrUnsupported, line, "the format %%%s%c of %s", flags, verb, typeName(v))
	return ""
}

// formatMethod is str.format with plain fields: {}, {0} and {name}.
func formatMethod(r *renderer, self any, c *call) any {
	s := self.(string)
	var b strings.Builder
	auto := 0
	for i := 0; i < len(s); i++ {
		switch {
		case (s[i] == '{' || s[i] == '}') && i+1 < len(s) && s[i+1] == s[i]:
			b.WriteByte(s[i])
			i++
		case s[i] == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 {
				fail(ErrRender, c.line, "an open field in a format")
			}
			b.WriteString(r.str(c.field(s[i+1:i+end], &auto), c.line))
			i += end
		case s[i] == '}':
			fail(ErrRender, c.line, "a single } in a format")
		default:
			b.WriteByte(s[i])
		}
		if b.Len() > maxBytes {
			fail(ErrLimit, c.line, "a string is too long")
		}
	}
	return r.text(b.String(), c.line)
}

func (c *call) field(spec string, auto *int) any {
	if strings.ContainsAny(spec, ":!.[") {
		fail(ErrUnsupported, c.line, "the field {%s} in a format", spec)
	}
	n, err := strconv.Atoi(spec)
	if spec == "" {
		n, err = *auto, nil
		*auto++
	}
	if err == nil {
		if n < 0 || n >= len(c.pos) {
			fail(ErrRender, c.line, "too few values for a format")
		}
		return c.pos[n]
	}
	v, ok := c.named[spec]
	if !ok {
		fail(ErrRender, c.line, "a format without a value for %q", spec)
	}
	return v
}

var timeVerbs = map[byte]string{
	'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'B': "January", 'b': "Jan", 'A': "Monday",
	'a': "Mon", 'y': "06", 'p': "PM", 'I': "03", 'j': "002", 'Z': "", 'z': "", 'F': "2006-01-02", 'T': "15:04:05",
	'D': "01/02/06", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'e': "_2", 'h': "Jan",
	'R': "15:04", 'f': "000000",
}

// maxLayout is the greatest length of a format of a time.
const maxLayout = 1024

// strftime is Python's datetime.strftime.
func strftime(t time.Time, layout string, line int) string {
	if len(layout) > maxLayout {
		fail(ErrLimit, line, "a format of a time of more than %d bytes", maxLayout)
	}
	var b strings.Builder
	for i := 0; i < len(layout); i++ {
		if layout[i] != '%' || i+1 == len(layout) {
			b.WriteByte(layout[i])
			continue
		}
		i++
		plain := layout[i] == '-' && i+1 < len(layout)
		if plain {
			i++
		}
		verb := layout[i]
		format, ok := timeVerbs[verb]
		var s string
		switch {
		case verb == '%':
			s = "%"
		case verb == 'n':
			s = "\n"
		case verb == 't':
			s = "\t"
		case verb == 'f':
			s = fmt.Sprintf("%06d", t.Nanosecond()/1000)
		case verb == 'w':
			s = strconv.Itoa(int(t.Weekday()))
		case verb == 's':
			s = strconv.FormatInt(t.Unix(), 10)
		case ok:
			s = t.Format(format)
			if format == "" {
				s = ""
			}
		default:
			fail(ErrUnsupported, line, "the format %%%c of a time", verb)
		}
		if plain {
			if s = strings.TrimLeft(s, "0 "); s == "" {
				s = "0"
			}
		}
		b.WriteString(s)
	}
	return b.String()
}
