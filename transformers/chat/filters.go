package chat

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A filter changes a value.
type filter func(r *renderer, v any, c *call) any

var filters map[string]filter

// The tables refer to functions that refer to them.
func init() {
	filters = map[string]filter{
		"abs": filterAbs, "attr": filterAttr, "batch": filterBatch, "capitalize": onText(capitalize),
		"center": filterCenter, "count": filterLength, "d": filterDefault, "default": filterDefault,
		"dictsort": filterDictSort, "e": onText(escapeHTML), "escape": onText(escapeHTML), "first": filterFirst,
		"float": filterFloat, "format": filterFormat, "groupby": filterGroupBy, "indent": filterIndent,
		"int": filterInt, "items": filterItems, "join": filterJoin, "last": filterLast, "length": filterLength,
		"list": filterList, "lower": onText(strings.ToLower), "map": filterMap, "max": extreme(1), "min": extreme(-1),
		"reject": choose(false, false), "rejectattr": choose(true, false), "replace": filterReplace,
		"reverse": filterReverse, "round": filterRound, "safe": onText(func(s string) string { return s }),
		"select": choose(false, true), "selectattr": choose(true, true), "sort": filterSort,
		"string": onText(func(s string) string { return s }), "sum": filterSum, "title": onText(title),
		"tojson": filterToJSON, "trim": filterTrim, "unique": filterUnique, "upper": onText(strings.ToUpper),
		"urlencode": onText(urlEncode), "wordcount": filterWordCount,
	}
}

// onText makes a filter of strings from a function.
func onText(fn func(s string) string) filter {
	return func(r *renderer, v any, c *call) any { return r.text(fn(r.str(v, c.line)), c.line) }
}

var (
	htmlEscapes = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")
	urlEscapes  = strings.NewReplacer("+", "%20", "%2F", "/", "%7E", "~")
)

func escapeHTML(s string) string { return htmlEscapes.Replace(s) }

func urlEncode(s string) string { return urlEscapes.Replace(url.QueryEscape(s)) }

func filterAbs(_ *renderer, v any, c *call) any {
	i, f, isInt, ok := number(v)
	switch {
	case !ok:
		fail(ErrRender, c.line, "abs of %s", typeName(v))
	case isInt:
		return max(i, -i)
	}
	return math.Abs(f)
}

func filterAttr(_ *renderer, v any, c *call) any {
	if _, ok := v.(*dict); ok && dictMethods[c.str(0, "name", "")] == nil {
		return undefined{"a dict has no attribute " + short(c.str(0, "name", ""), maxName)}
	}
	return attribute(v, c.str(0, "name", ""), c.line)
}

func filterBatch(r *renderer, v any, c *call) any {
	n := c.integer(0, "linecount", 0)
	if n < 1 {
		fail(ErrRender, c.line, "batch of %d", n)
	}
	fill := c.arg(1, "fill_with", nil)
	var out []any
	for part := range slices.Chunk(r.iterate(v, c.line), int(min(n, maxRange))) {
		part = slices.Clone(part)
		for fill != nil && int64(len(part)) < min(n, maxRange) {
			part = append(part, fill)
		}
		out = append(out, r.newList(part, c.line))
	}
	return r.newList(out, c.line)
}

func filterCenter(r *renderer, v any, c *call) any {
	return stringMethods["center"](r, r.str(v, c.line),
		&call{r: r, pos: []any{c.integer(0, "width", 80)}, line: c.line})
}

func filterLength(_ *renderer, v any, c *call) any {
	switch v := v.(type) {
	case string:
		return int64(runes(v))
	case *list:
		return int64(len(v.items))
	case *dict:
		return int64(len(v.keys))
	case *loop:
		return int64(len(v.items))
	case undefined:
		return int64(0)
	}
	fail(ErrRender, c.line, "%s has no length", typeName(v))
	return nil
}

func filterDefault(_ *renderer, v any, c *call) any {
	if _, ok := v.(undefined); ok || truth(c.arg(1, "boolean", false)) && !truth(v) {
		return c.arg(0, "default_value", "")
	}
	return v
}

func filterFirst(r *renderer, v any, c *call) any {
	if s, ok := v.(string); ok && s != "" {
		return part(s, 0, 1)
	}
	if items := r.iterate(v, c.line); len(items) > 0 {
		return items[0]
	}
	return undefined{"no first item, the sequence is empty"}
}

func filterLast(r *renderer, v any, c *call) any {
	if s, ok := v.(string); ok && s != "" {
		_, n := utf8.DecodeLastRuneInString(s)
		return s[len(s)-n:]
	}
	if items := r.iterate(v, c.line); len(items) > 0 {
		return items[len(items)-1]
	}
	return undefined{"no last item, the sequence is empty"}
}

func filterFloat(_ *renderer, v any, c *call) any {
	def := c.arg(0, "default", 0.0)
	if _, f, _, ok := number(v); ok {
		return f
	}
	if s, ok := v.(string); ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return f
		}
	}
	return def
}

func filterInt(_ *renderer, v any, c *call) any {
	def := c.arg(0, "default", int64(0))
	base := c.integer(1, "base", 10)
	i, f, isInt, ok := number(v)
	switch {
	case isInt:
		return i
	case ok && math.Abs(f) < 1<<62:
		return int64(f)
	}
	if s, ok := v.(string); ok && base >= 2 && base <= 36 {
		s = strings.TrimSpace(s)
		if prefix := map[int64]string{2: "0b", 8: "0o", 16: "0x"}[base]; prefix != "" {
			s = strings.TrimPrefix(strings.ToLower(s), prefix)
		}
		if n, err := strconv.ParseInt(s, int(base), 64); err == nil {
			return n
		}
		if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 1<<62 {
			return int64(f)
		}
	}
	return def
}

func filterItems(r *renderer, v any, c *call) any {
	switch v := v.(type) {
	case *dict:
		return items(r, v, c.line)
	case undefined:
		return r.newList(nil, c.line)
	}
	fail(ErrRender, c.line, "items of %s", typeName(v))
	return nil
}

func filterJoin(r *renderer, v any, c *call) any {
	c.limit(2, "d", "attribute")
	sep := r.str(c.arg(0, "d", ""), c.line)
	attr := c.arg(1, "attribute", nil)
	var parts []string
	total := 0
	for _, x := range r.iterate(v, c.line) {
		r.step(c.line)
		if attr != nil {
			x = r.path(x, attr, c.line)
		}
		s := r.str(x, c.line)
		parts = append(parts, s)
		if total += len(s) + len(sep); total > maxBytes {
			fail(ErrLimit, c.line, "a string is too long")
		}
	}
	return r.text(strings.Join(parts, sep), c.line)
}

// path returns an attribute such as "a.b" or "0.a".
func (r *renderer) path(v, attr any, line int) any {
	s, ok := attr.(string)
	if !ok {
		return r.item(v, attr, line)
	}
	for part := range strings.SplitSeq(s, ".") {
		r.work(len(part), line)
		if n, err := strconv.ParseInt(part, 10, 64); err == nil {
			v = r.item(v, n, line)
		} else {
			v = r.item(v, part, line)
		}
	}
	return v
}

func filterList(r *renderer, v any, c *call) any {
	return r.newList(slices.Clone(r.iterate(v, c.line)), c.line)
}

func filterMap(r *renderer, v any, c *call) any {
	attr, byAttr := c.named["attribute"]
	var fn filter
	rest := &call{r: r, line: c.line, named: c.named}
	if !byAttr {
		name := c.str(0, "", "")
		if fn = filters[name]; fn == nil {
			fail(ErrUnsupported, c.line, "the filter %q", name)
		}
		rest.what, rest.pos = name, c.pos[min(1, len(c.pos)):]
	}
	var out []any
	for _, x := range r.iterate(v, c.line) {
		r.step(c.line)
		r.weigh(x, c.line)
		r.weighArgs(rest)
		if !byAttr {
			out = append(out, fn(r, x, rest))
			continue
		}
		y := r.path(x, attr, c.line)
		if _, missing := y.(undefined); missing {
			y = c.arg(1<<30, "default", y)
		}
		out = append(out, y)
	}
	return r.newList(out, c.line)
}

// weighArgs counts the steps of an operation that looks at all arguments.
func (r *renderer) weighArgs(c *call) {
	for _, v := range c.pos {
		r.weigh(v, c.line)
	}
	for _, v := range c.named {
		r.weigh(v, c.line)
	}
}

// choose makes select, reject, selectattr and rejectattr.
func choose(byAttr, want bool) filter {
	return func(r *renderer, v any, c *call) any {
		pos := c.pos
		var attr any
		if byAttr {
			if len(pos) == 0 {
				fail(ErrRender, c.line, "%s without an attribute", c.what)
			}
			attr, pos = pos[0], pos[1:]
		}
		fn := func(_ *renderer, v any, _ *call) bool { return truth(v) }
		rest := &call{r: r, line: c.line, named: c.named}
		if len(pos) > 0 {
			name := r.str(pos[0], c.line)
			t := tests[name]
			if t == nil {
				fail(ErrUnsupported, c.line, "the test %q", name)
			}
			fn, rest.what, rest.pos = t, name, pos[1:]
		}
		var out []any
		for _, x := range r.iterate(v, c.line) {
			r.step(c.line)
			r.weigh(x, c.line)
			r.weighArgs(rest)
			y := x
			if byAttr {
				y = r.path(x, attr, c.line)
			}
			if fn(r, y, rest) == want {
				out = append(out, x)
			}
		}
		return r.newList(out, c.line)
	}
}

func filterReplace(r *renderer, v any, c *call) any {
	return replaceText(r, r.str(v, c.line), r.str(c.arg(0, "old", ""), c.line),
		r.str(c.arg(1, "new", ""), c.line), c.count(), c.line)
}

func (c *call) count() int64 {
	if c.arg(2, "count", nil) == nil {
		return -1
	}
	return c.integer(2, "count", -1)
}

func filterReverse(r *renderer, v any, c *call) any {
	out := slices.Clone(r.iterate(v, c.line))
	slices.Reverse(out)
	if _, ok := v.(string); ok {
		var b strings.Builder
		for _, x := range out {
			b.WriteString(x.(string))
		}
		return r.text(b.String(), c.line)
	}
	return r.newList(out, c.line)
}

func filterRound(_ *renderer, v any, c *call) any {
	digits := c.integer(0, "precision", 0)
	_, f, _, ok := number(v)
	if !ok {
		fail(ErrRender, c.line, "round of %s", typeName(v))
	}
	scale := math.Pow(10, float64(digits))
	switch how := c.str(1, "method", "common"); how {
	case "ceil":
		return math.Ceil(f*scale) / scale
	case "floor":
		return math.Floor(f*scale) / scale
	case "common":
		if digits < 0 {
			return math.RoundToEven(f*scale) / scale
		}
		out, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(min(digits, 300)), 64), 64)
		return out
	}
	fail(ErrRender, c.line, "round with an unknown method")
	return nil
}

func filterTrim(r *renderer, v any, c *call) any {
	return stripChars(r.str(v, c.line), c.arg(0, "chars", nil), true, true, c)
}

func filterWordCount(r *renderer, v any, c *call) any {
	n := int64(0)
	for range strings.FieldsFuncSeq(r.str(v, c.line), func(c rune) bool { return c != '_' && !isAlnum(c) }) {
		n++
	}
	return n
}

func filterFormat(r *renderer, v any, c *call) any {
	if c.named != nil {
		fail(ErrUnsupported, c.line, "format with names")
	}
	return r.text(r.percent(r.str(v, c.line), &list{items: c.pos, tuple: true}, c.line), c.line)
}

func filterIndent(r *renderer, v any, c *call) any {
	c.limit(3, "width", "first", "blank")
	indent, ok := c.arg(0, "width", int64(4)).(string)
	if !ok {
		n := c.integer(0, "width", 4)
		if n > maxRange {
			fail(ErrLimit, c.line, "indent by %d", n)
		}
		indent = strings.Repeat(" ", int(max(n, 0)))
	}
	first, blank := truth(c.arg(1, "first", false)), truth(c.arg(2, "blank", false))
	s := r.str(v, c.line)
	n := strings.Count(s, "\n") + 1
	if n > maxBytes/(len(indent)+1) {
		fail(ErrLimit, c.line, "a string is too long")
	}
	r.spend(16*n, c.line)
	lines := strings.Split(s, "\n")
	for i := range lines {
		if i > 0 && (blank || lines[i] != "") || i == 0 && first {
			lines[i] = indent + lines[i]
		}
	}
	return r.text(strings.Join(lines, "\n"), c.line)
}
