package chat

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func partition(r *renderer, s string, c *call, search func(s, part string) int) any {
	sep := c.str(0, "sep", "")
	if sep == "" {
		fail(ErrRender, c.line, "%s with an empty separator", c.what)
	}
	parts := []any{s, "", ""}
	if i := search(s, sep); i >= 0 {
		parts = []any{s[:i], sep, s[i+len(sep):]}
	} else if c.what == "rpartition" {
		parts = []any{"", "", s}
	}
	l := r.newList(parts, c.line)
	l.tuple = true
	return l
}

func title(s string) string {
	prev := ' '
	return strings.Map(func(c rune) rune {
		up := !unicode.IsLetter(prev)
		prev = c
		if up {
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func capitalize(s string) string {
	first := true
	return strings.Map(func(c rune) rune {
		if first {
			first = false
			return unicode.ToTitle(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func swapCase(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}

// split makes the methods split and rsplit.
func split(right bool) method {
	return func(r *renderer, self any, c *call) any {
		c.limit(2, "sep", "maxsplit")
		s := self.(string)
		limit := c.integer(1, "maxsplit", -1)
		sep := c.arg(0, "sep", nil)
		r.spend(32*countParts(s, sep, limit), c.line) // for the strings; newList counts the list
		var parts []string
		switch {
		case sep == nil:
			parts = splitSpace(s, int(min(limit, maxBytes)), right)
		case c.str(0, "sep", "") == "":
			fail(ErrRender, c.line, "split with an empty separator")
		default:
			parts = splitAt(s, sep.(string), int(min(limit, maxBytes)), right)
		}
		out := make([]any, len(parts))
		for i, p := range parts {
			out[i] = p
		}
		return r.newList(out, c.line)
	}
}

// countParts returns the number of parts of s.
func countParts(s string, sep any, limit int64) int {
	n := 0
	switch sep := sep.(type) {
	case string:
		n = strings.Count(s, sep) + 1
	default:
		for range strings.FieldsFuncSeq(s, isSpace) {
			n++
		}
	}
	if limit >= 0 {
		n = int(min(int64(n), min(limit, maxBytes)+1))
	}
	return n
}

func splitAt(s, sep string, limit int, right bool) []string {
	if limit < 0 {
		return strings.Split(s, sep)
	}
	if !right {
		return strings.SplitN(s, sep, limit+1)
	}
	var out []string
	for ; limit > 0; limit-- {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		out = append(out, s[i+len(sep):])
		s = s[:i]
	}
	out = append(out, s)
	slices.Reverse(out)
	return out
}

func splitSpace(s string, limit int, right bool) []string {
	if limit < 0 {
		return strings.FieldsFunc(s, isSpace)
	}
	var out []string
	for s = trimSide(s, !right); s != ""; limit-- {
		i := strings.IndexFunc(s, isSpace)
		if right {
			i = strings.LastIndexFunc(s, isSpace)
		}
		if limit == 0 || i < 0 {
			out = append(out, s)
			break
		}
		if right {
			_, n := utf8.DecodeRuneInString(s[i:])
			out = append(out, s[i+n:])
			s = trimSide(s[:i], false)
		} else {
			out = append(out, s[:i])
			s = trimSide(s[i:], true)
		}
	}
	if right {
		slices.Reverse(out)
	}
	return out
}

func trimSide(s string, left bool) string {
	if left {
		return strings.TrimLeftFunc(s, isSpace)
	}
	return strings.TrimRightFunc(s, isSpace)
}

func splitLines(r *renderer, self any, c *call) any {
	keep := truth(c.arg(0, "keepends", false))
	s := self.(string)
	var out []any
	for s != "" {
		i := strings.IndexAny(s, "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029")
		if i < 0 {
			out = append(out, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			n = 2
		}
		if keep {
			out = append(out, s[:i+n])
		} else {
			out = append(out, s[:i])
		}
		s = s[i+n:]
		r.spend(32, c.line)
	}
	return r.newList(out, c.line)
}

func joinMethod(r *renderer, self any, c *call) any {
	c.limit(1)
	items := r.iterate(c.arg(0, "", nil), c.line)
	parts := make([]string, len(items))
	total := 0
	for i, v := range items {
		s, ok := v.(string)
		if !ok {
			fail(ErrRender, c.line, "join with %s", typeName(v))
		}
		parts[i] = s
		total += len(s) + len(self.(string))
	}
	r.spend(total, c.line)
	return strings.Join(parts, self.(string))
}

func replaceMethod(r *renderer, self any, c *call) any {
	c.limit(3)
	return replaceText(r, self.(string), c.str(0, "", ""), c.str(1, "", ""), c.integer(2, "count", -1), c.line)
}

func replaceText(r *renderer, s, from, to string, n int64, line int) string {
	count := int64(strings.Count(s, from))
	if n >= 0 {
		count = min(count, n)
	}
	if len(to) > 0 && count > int64(maxBytes/len(to)) {
		fail(ErrLimit, line, "a string is too long")
	}
	return r.text(strings.Replace(s, from, to, int(min(n, maxBytes))), line)
}
