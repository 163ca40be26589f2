package chat

import (
	"slices"
	"strings"
	"unicode"
)

// A method is a method of a value.
type method func(r *renderer, self any, c *call) any

func dictOf(self any) *dict { return self.(*dict) }

var dictMethods = map[string]method{
	"items": func(r *renderer, self any, c *call) any { return items(r, dictOf(self), c.line) },
	"keys":  func(r *renderer, self any, c *call) any { return r.newList(slices.Clone(dictOf(self).keys), c.line) },
	"values": func(r *renderer, self any, c *call) any {
		var out []any
		for _, k := range dictOf(self).keys {
			out = append(out, dictOf(self).at(k))
		}
		return r.newList(out, c.line)
	},
	"get": func(_ *renderer, self any, c *call) any {
		if len(c.pos) == 0 {
			fail(ErrRender, c.line, "get without a key")
		}
		if v, ok := dictOf(self).get(c.pos[0]); ok {
			return v
		}
		return c.arg(1, "default", nil)
	},
	"copy": func(r *renderer, self any, c *call) any {
		d := newDict()
		for _, k := range dictOf(self).keys {
			d.set(k, dictOf(self).at(k))
		}
		r.spend(64*len(d.keys), c.line)
		return d
	},
	"update": unsafe, "pop": unsafe, "popitem": unsafe, "clear": unsafe, "setdefault": unsafe,
}

// unsafe are methods that Jinja's sandbox refuses, because they change their value.
func unsafe(_ *renderer, _ any, c *call) any {
	fail(ErrRender, c.line, "%s would change a value", c.what)
	return nil
}

func items(r *renderer, d *dict, line int) *list {
	out := make([]any, len(d.keys))
	for i, k := range d.keys {
		out[i] = &list{items: []any{k, d.at(k)}, tuple: true}
	}
	r.spend(64*len(out), line)
	return r.newList(out, line)
}

var listMethods = map[string]method{
	"index": func(r *renderer, self any, c *call) any {
		want := c.arg(0, "", undefined{"index without a value"})
		for i, v := range self.(*list).items {
			if r.equal(v, want) {
				return int64(i)
			}
		}
		fail(ErrRender, c.line, "%s is not in the list", repr(want))
		return nil
	},
	"count": func(r *renderer, self any, c *call) any {
		want := c.arg(0, "", undefined{"count without a value"})
		n := int64(0)
		for _, v := range self.(*list).items {
			if r.equal(v, want) {
				n++
			}
		}
		return n
	},
	"copy": func(r *renderer, self any, c *call) any {
		return r.newList(slices.Clone(self.(*list).items), c.line)
	},
	"append": unsafe, "extend": unsafe, "insert": unsafe, "pop": unsafe, "remove": unsafe, "clear": unsafe,
	"reverse": unsafe, "sort": unsafe,
}

// text makes a method of strings from a function.
func text(fn func(s string) string) method {
	return func(r *renderer, self any, c *call) any {
		c.limit(0)
		return r.text(fn(self.(string)), c.line)
	}
}

// all makes a method that reports whether a string is not empty and has only such characters.
func all(is func(c rune) bool) method {
	return func(_ *renderer, self any, _ *call) any {
		s := self.(string)
		return s != "" && strings.IndexFunc(s, func(c rune) bool { return !is(c) }) < 0
	}
}

// cased makes the methods isupper and islower.
func cased(is, other func(c rune) bool) method {
	return func(_ *renderer, self any, _ *call) any {
		return strings.IndexFunc(self.(string), is) >= 0 && strings.IndexFunc(self.(string), other) < 0
	}
}

func isTitleOr(is func(c rune) bool) func(c rune) bool {
	return func(c rune) bool { return unicode.IsTitle(c) || is(c) }
}

func isAlnum(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }

// strip makes the methods strip, lstrip and rstrip.
func strip(left, right bool) method {
	return func(_ *renderer, self any, c *call) any {
		c.limit(1)
		return stripChars(self.(string), c.arg(0, "", nil), left, right, c)
	}
}

func stripChars(s string, set any, left, right bool, c *call) string {
	is := isSpace
	if set != nil {
		cut, ok := set.(string)
		if !ok {
			fail(ErrRender, c.line, "%s takes a string", c.what)
		}
		all := map[rune]bool{}
		for _, c := range cut {
			all[c] = true
		}
		is = func(c rune) bool { return all[c] }
	}
	if left {
		s = strings.TrimLeftFunc(s, is)
	}
	if right {
		s = strings.TrimRightFunc(s, is)
	}
	return s
}

// isSpace is Python's str.isspace for a character.
func isSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1C && c <= 0x1F }

// affix makes the methods startswith and endswith.
func affix(has func(s, part string) bool) method {
	return func(_ *renderer, self any, c *call) any {
		c.limit(1)
		switch v := c.arg(0, "", nil).(type) {
		case string:
			return has(self.(string), v)
		case *list:
			return v.tuple && slices.ContainsFunc(v.items, func(x any) bool {
				part, ok := x.(string)
				return ok && has(self.(string), part)
			})
		}
		fail(ErrRender, c.line, "%s takes a string or a tuple", c.what)
		return nil
	}
}

// find makes the methods find, rfind, index and rindex.
func find(search func(s, part string) int, must bool) method {
	return func(_ *renderer, self any, c *call) any {
		c.limit(1)
		s := self.(string)
		i := search(s, c.str(0, "", ""))
		if i < 0 {
			if must {
				fail(ErrRender, c.line, "%s: substring not found", c.what)
			}
			return int64(-1)
		}
		return int64(runes(s[:i]))
	}
}

// pad makes the methods ljust, rjust, center and zfill.
func pad(left, right bool, fill string) method {
	return func(r *renderer, self any, c *call) any {
		s := self.(string)
		n := c.integer(0, "width", 0) - int64(runes(s))
		fill := fill
		if len(c.pos) > 1 {
			fill = c.str(1, "fillchar", " ")
		}
		if n <= 0 {
			return s
		}
		if runes(fill) != 1 {
			fail(ErrRender, c.line, "%s: the fill character must be exactly one character long", c.what)
		}
		r.spend(int(min(n, maxBytes+1))*4, c.line)
		a, b := int64(0), n
		switch {
		case left && right:
			a = n / 2
			if n%2 == 1 && (int64(runes(s))+n)%2 == 1 {
				a++
			}
			b = n - a
		case left:
			a, b = n, 0
		}
		head := ""
		if fill == "0" && s != "" && (s[0] == '-' || s[0] == '+') {
			head, s = s[:1], s[1:]
		}
		return r.text(head+strings.Repeat(fill, int(a))+s+strings.Repeat(fill, int(b)), c.line)
	}
}

var stringMethods = map[string]method{
	"strip": strip(true, true), "lstrip": strip(true, false), "rstrip": strip(false, true),
	"upper": text(strings.ToUpper), "lower": text(strings.ToLower), "title": text(title),
	"casefold": text(strings.ToLower), "capitalize": text(capitalize), "swapcase": text(swapCase),
	"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
	"find": find(strings.Index, false), "rfind": find(strings.LastIndex, false),
	"index": find(strings.Index, true), "rindex": find(strings.LastIndex, true),
	"isdigit": all(unicode.IsDigit), "isdecimal": all(unicode.IsDigit), "isnumeric": all(unicode.IsNumber),
	"isalpha": all(unicode.IsLetter), "isalnum": all(isAlnum), "isspace": all(isSpace),
	"isupper": cased(unicode.IsUpper, isTitleOr(unicode.IsLower)), "islower": cased(unicode.IsLower,
		isTitleOr(unicode.IsUpper)),
	"ljust": pad(false, true, " "), "rjust": pad(true, false, " "), "center": pad(true, true, " "),
	"zfill": pad(true, false, "0"),
	"split": split(false), "rsplit": split(true), "splitlines": splitLines, "join": joinMethod,
	"replace": replaceMethod,
	"format":  formatMethod,
	"count": func(_ *renderer, self any, c *call) any {
		return int64(strings.Count(self.(string), c.str(0, "", "")))
	},
	"removeprefix": func(_ *renderer, self any, c *call) any {
		return strings.TrimPrefix(self.(string), c.str(0, "", ""))
	},
	"removesuffix": func(_ *renderer, self any, c *call) any {
		return strings.TrimSuffix(self.(string), c.str(0, "", ""))
	},
	"partition": func(r *renderer, self any, c *call) any {
		return partition(r, self.(string), c, strings.Index)
	},
	"rpartition": func(r *renderer, self any, c *call) any {
		return partition(r, self.(string), c, strings.LastIndex)
	},
}
