package chat

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func (e *literal) eval(r *renderer, _ *scope) any {
	r.step(0)
	return e.value
}

func (e *name) eval(r *renderer, s *scope) any {
	v, scopes := s.get(e.id)
	r.work(16*scopes, e.line)
	return v
}

func (e *listExpr) eval(r *renderer, s *scope) any {
	items := make([]any, len(e.items))
	for i, x := range e.items {
		items[i] = x.eval(r, s)
	}
	l := r.newList(items, 0)
	l.tuple = e.tuple
	return l
}

func (e *dictExpr) eval(r *renderer, s *scope) any {
	d := newDict()
	for i := range e.keys {
		k := e.keys[i].eval(r, s)
		d.set(hashable(k, 0), e.values[i].eval(r, s))
	}
	r.spend(64*len(d.keys), 0)
	return d
}

// hashable returns v as a key of a dict.
func hashable(v any, line int) any {
	switch v.(type) {
	case nil, bool, int64, float64, string:
		return v
	}
	fail(ErrUnsupported, line, "a key of type %s", typeName(v))
	return nil
}

func (e *attrExpr) eval(r *renderer, s *scope) any {
	r.step(e.line)
	return attribute(e.of.eval(r, s), e.name, e.line)
}

// attribute is v.id: first a method of v, then an item.
func attribute(v any, id string, line int) any {
	switch v := v.(type) {
	case undefined:
		fail(ErrRender, line, "%s", v.what)
	case *loop:
		return v.attr(id, line)
	case *namespace:
		if x, ok := v.get(id); ok {
			return x
		}
		return undefined{"the namespace has no attribute '" + short(id, maxName) + "'"}
	case *macro:
		if id == "name" {
			return v.name
		}
	case *dict:
		if m := dictMethods[id]; m != nil {
			return bind(v, id, m)
		}
		if x, ok := v.get(id); ok {
			return x
		}
	case string:
		if m := stringMethods[id]; m != nil {
			return bind(v, id, m)
		}
	case *list:
		if m := listMethods[id]; m != nil && (!v.tuple || id == "index" || id == "count") {
			return bind(v, id, m)
		}
	}
	return undefined{"'" + typeName(v) + " object' has no attribute '" + short(id, maxName) + "'"}
}

func bind(v any, id string, m method) any {
	return &function{id, func(r *renderer, c *call) any {
		r.weigh(v, c.line)
		return m(r, v, c)
	}}
}

func (e *indexExpr) eval(r *renderer, s *scope) any {
	r.step(e.line)
	return r.item(e.of.eval(r, s), e.index.eval(r, s), e.line)
}

// item is v[key]: first an item of v, then a method.
func (r *renderer) item(v, key any, line int) any {
	if u, ok := v.(undefined); ok {
		fail(ErrRender, line, "%s", u.what)
	}
	if i, _, isInt, _ := number(key); isInt {
		switch v := v.(type) {
		case *list:
			if i < 0 {
				i += int64(len(v.items))
			}
			if i >= 0 && i < int64(len(v.items)) {
				return v.items[i]
			}
			return undefined{"the list has no item " + str(key)}
		case string:
			r.work(len(v), line)
			n := int64(runes(v))
			if i < 0 {
				i += n
			}
			if i >= 0 && i < n {
				return part(v, i, i+1)
			}
			return undefined{"the string has no item " + str(key)}
		}
	}
	if d, ok := v.(*dict); ok {
		if x, ok := d.get(key); ok {
			return x
		}
	}
	if id, ok := key.(string); ok {
		return attribute(v, id, line)
	}
	r.weigh(key, line)
	return undefined{"'" + typeName(v) + " object' has no element " + short(r.text(repr(key), line), maxName)}
}

func (e *sliceExpr) eval(r *renderer, s *scope) any {
	v := e.of.eval(r, s)
	bound := func(x expr) (int64, bool) {
		if x == nil {
			return 0, false
		}
		y := x.eval(r, s)
		if y == nil {
			return 0, false
		}
		n, _, isInt, _ := number(y)
		if !isInt {
			fail(ErrRender, e.line, "a slice with %s", typeName(y))
		}
		return n, true
	}
	low, hasLow := bound(e.low)
	high, hasHigh := bound(e.high)
	step, hasStep := bound(e.step)
	if !hasStep {
		step = 1
	}
	if step == 0 {
		fail(ErrRender, e.line, "a slice with step 0")
	}
	var items []any
	isText := false
	n := int64(0)
	switch v := v.(type) {
	case string:
		r.work(len(v), e.line)
		isText, n = true, int64(runes(v))
	case *list:
		items, n = v.items, int64(len(v.items))
	case undefined:
		fail(ErrRender, e.line, "%s", v.what)
	default:
		return undefined{"'" + typeName(v) + " object' has no slices"}
	}
	clamp := func(i int64, has bool, def, lo, hi int64) int64 {
		if !has {
			return def
		}
		if i < 0 {
			i += n
		}
		return min(max(i, lo), hi)
	}
	if isText && step == 1 {
		i, j := clamp(low, hasLow, 0, 0, n), clamp(high, hasHigh, n, 0, n)
		return r.text(part(v.(string), i, max(i, j)), e.line)
	}
	if isText {
		items = r.iterate(v, e.line)
	}
	var out []any
	if step > 0 {
		end := clamp(high, hasHigh, n, 0, n)
		for i := clamp(low, hasLow, 0, 0, n); i < end; i += min(step, n) {
			out = append(out, items[i])
		}
	} else {
		end := clamp(high, hasHigh, -1, -1, n-1)
		for i := clamp(low, hasLow, n-1, -1, n-1); i > end; i += max(step, -n) {
			out = append(out, items[i])
		}
	}
	if !isText {
		l := r.newList(out, e.line)
		l.tuple = v.(*list).tuple
		return l
	}
	var b strings.Builder
	for _, c := range out {
		b.WriteString(c.(string))
	}
	return r.text(b.String(), e.line)
}

// part returns the characters of s from low to high.
func part(s string, low, high int64) string {
	from, i := len(s), int64(0)
	for at := range s {
		if i == low {
			from = at
		}
		if i == high {
			return s[from:at]
		}
		i++
	}
	return s[from:]
}

func (e *condExpr) eval(r *renderer, s *scope) any {
	switch {
	case truth(e.cond.eval(r, s)):
		return e.then.eval(r, s)
	case e.otherwise != nil:
		return e.otherwise.eval(r, s)
	}
	return undefined{"the condition has no else"}
}

func (e *callExpr) prepare(r *renderer, s *scope) *call { return e.args.prepare(r, s, "call", e.line) }

func (a *args) prepare(r *renderer, s *scope, what string, line int) *call {
	c := &call{r: r, what: what, line: line}
	for _, x := range a.pos {
		v := x.eval(r, s)
		r.weigh(v, line)
		c.pos = append(c.pos, v)
	}
	if a.star != nil {
		for _, v := range r.iterate(a.star.eval(r, s), line) {
			r.weigh(v, line)
			r.step(line)
			c.pos = append(c.pos, v)
		}
	}
	if len(a.names) > 0 || a.stars != nil {
		c.named = map[string]any{}
	}
	for i, n := range a.names {
		c.named[n] = a.named[i].eval(r, s)
		r.weigh(c.named[n], line)
		c.names = append(c.names, n)
	}
	if a.stars != nil {
		d, ok := a.stars.eval(r, s).(*dict)
		if !ok {
			fail(ErrRender, line, "** without a dict")
		}
		for _, k := range d.keys {
			id := r.str(k, line)
			c.named[id] = d.at(k)
			r.weigh(c.named[id], line)
			r.step(line)
			c.names = append(c.names, id)
		}
	}
	return c
}

func (e *callExpr) eval(r *renderer, s *scope) any {
	r.step(e.line)
	fn := e.fn.eval(r, s)
	return r.call(fn, e.prepare(r, s))
}

func (r *renderer) call(fn any, c *call) any {
	switch f := fn.(type) {
	case *function:
		c.what = f.name
		return f.call(r, c)
	case *macro:
		return f.call(r, c)
	case undefined:
		fail(ErrRender, c.line, "%s", f.what)
	}
	fail(ErrRender, c.line, "%s cannot be called", typeName(fn))
	return nil
}

func (e *filterExpr) eval(r *renderer, s *scope) any { return e.apply(r, s, e.of.eval(r, s)) }

func (e *filterExpr) apply(r *renderer, s *scope, v any) any {
	r.step(e.line)
	r.weigh(v, e.line)
	return e.fn(r, v, e.args.prepare(r, s, e.name, e.line))
}

func (e *testExpr) eval(r *renderer, s *scope) any {
	r.step(e.line)
	v := e.of.eval(r, s)
	r.weigh(v, e.line)
	return e.fn(r, v, e.args.prepare(r, s, e.name, e.line)) != e.neg
}
