package chat

import (
	"cmp"
	"slices"
	"strings"
)

// sortKey returns what values are sorted by.
func (r *renderer) sortKey(v any, attr any, caseSensitive bool, line int) any {
	if attr != nil {
		v = r.path(v, attr, line)
	}
	if s, ok := v.(string); ok && !caseSensitive {
		r.work(len(s), line)
		return strings.ToLower(s)
	}
	return v
}

func (r *renderer) sorted(values []any, key func(v any) any, reverse bool, line int) []any {
	type entry struct{ key, value any }
	entries := make([]entry, len(values))
	for i, v := range values {
		entries[i] = entry{key(v), v}
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		r.step(line)
		n := r.compareValues(a.key, b.key, line)
		if reverse {
			return -n
		}
		return n
	})
	out := make([]any, len(values))
	for i, e := range entries {
		out[i] = e.value
	}
	return out
}

func filterSort(r *renderer, v any, c *call) any {
	c.limit(3, "reverse", "case_sensitive", "attribute")
	attr, exact := c.arg(2, "attribute", nil), truth(c.arg(1, "case_sensitive", false))
	key := func(v any) any { return r.sortKey(v, attr, exact, c.line) }
	if s, ok := attr.(string); ok && strings.Contains(s, ",") {
		fail(ErrUnsupported, c.line, "sort by several attributes")
	}
	return r.newList(r.sorted(r.iterate(v, c.line), key, truth(c.arg(0, "reverse", false)), c.line), c.line)
}

func filterDictSort(r *renderer, v any, c *call) any {
	d, ok := v.(*dict)
	if !ok {
		fail(ErrRender, c.line, "dictsort of %s", typeName(v))
	}
	exact := truth(c.arg(0, "case_sensitive", false))
	at := int64(0)
	switch c.str(1, "by", "key") {
	case "key":
	case "value":
		at = 1
	default:
		fail(ErrRender, c.line, "dictsort by neither key nor value")
	}
	key := func(v any) any { return r.sortKey(v, at, exact, c.line) }
	return r.newList(r.sorted(items(r, d, c.line).items, key, truth(c.arg(2, "reverse", false)), c.line), c.line)
}

func filterGroupBy(r *renderer, v any, c *call) any {
	attr := c.arg(0, "attribute", nil)
	exact := truth(c.arg(2, "case_sensitive", false))
	group := func(v any) any {
		k := r.path(v, attr, c.line)
		if _, missing := k.(undefined); missing {
			k = c.arg(1, "default", k)
		}
		return k
	}
	key := func(v any) any { return r.sortKey(group(v), nil, exact, c.line) }
	var out []any
	var last *list
	var lastKey any
	for _, x := range r.sorted(r.iterate(v, c.line), key, false, c.line) {
		if last == nil || !r.equal(lastKey, key(x)) {
			lastKey, last = key(x), &list{}
			out = append(out, &list{items: []any{group(x), last}, tuple: true})
		}
		last.items = append(last.items, x)
	}
	return r.newList(out, c.line)
}

func filterUnique(r *renderer, v any, c *call) any {
	attr, exact := c.arg(1, "attribute", nil), truth(c.arg(0, "case_sensitive", false))
	seen := map[any]bool{}
	var out []any
	for _, x := range r.iterate(v, c.line) {
		r.step(c.line)
		if k := normalKey(hashable(r.sortKey(x, attr, exact, c.line), c.line)); !seen[k] {
			seen[k] = true
			out = append(out, x)
		}
	}
	return r.newList(out, c.line)
}

// extreme makes the filters min and max.
func extreme(want int) filter {
	return func(r *renderer, v any, c *call) any {
		attr, exact := c.arg(1, "attribute", nil), truth(c.arg(0, "case_sensitive", false))
		items := r.iterate(v, c.line)
		if len(items) == 0 {
			return undefined{"no aggregated item, the sequence is empty"}
		}
		best := items[0]
		for _, x := range items[1:] {
			r.step(c.line)
			n := r.compareValues(r.sortKey(x, attr, exact, c.line), r.sortKey(best, attr, exact, c.line), c.line)
			if cmp.Compare(n, 0) == want {
				best = x
			}
		}
		return best
	}
}

func filterSum(r *renderer, v any, c *call) any {
	attr := c.arg(0, "attribute", nil)
	total := c.arg(1, "start", int64(0))
	for _, x := range r.iterate(v, c.line) {
		r.step(c.line)
		if attr != nil {
			x = r.path(x, attr, c.line)
		}
		total = (&binaryExpr{"+", &literal{total}, &literal{x}, c.line}).eval(r, nil)
	}
	return total
}
