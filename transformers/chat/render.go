package chat

import (
	"strings"
	"time"
)

// The limits of rendering.
const (
	maxSteps  = 2_000_000
	maxBytes  = 16 << 20  // of output, and of one string
	maxAlloc  = 256 << 20 // of all strings and lists together
	maxRange  = 100_000   // as in Jinja's sandbox
	maxCalls  = 60        // of macros within each other
	maxSource = 1 << 20   // of a template

	bytesPerStep = 128
)

// A renderer runs a template.
type renderer struct {
	out   *strings.Builder
	inner int // how many captures are open
	steps int
	alloc int
	calls int
	now   time.Time
}

// A scope holds the variables of a block.
type scope struct {
	vars   map[string]any
	parent *scope
}

func (s *scope) child() *scope { return &scope{vars: map[string]any{}, parent: s} }

// get returns the value of a name, and how many scopes it looked at.
func (s *scope) get(id string) (v any, scopes int) {
	for ; s != nil; s = s.parent {
		scopes++
		if v, ok := s.vars[id]; ok {
			return v, scopes
		}
	}
	if f, ok := globals[id]; ok {
		return f, scopes
	}
	return undefined{"'" + short(id, maxName) + "' is undefined"}, scopes
}

func (r *renderer) step(line int) {
	if r.steps++; r.steps > maxSteps {
		fail(ErrLimit, line, "more than %d steps", maxSteps)
	}
}

// work counts the steps of an operation that looks at n bytes.
func (r *renderer) work(n, line int) {
	r.steps += n / bytesPerStep
	r.step(line)
}

// weigh counts the steps of an operation that looks at all of v.
func (r *renderer) weigh(v any, line int) {
	switch v := v.(type) {
	case string:
		r.work(len(v), line)
	case *list:
		r.work(16*len(v.items), line)
	case *dict:
		r.work(16*len(v.keys), line)
	}
}

// str is Python's str. It counts the memory of a text that it makes.
func (r *renderer) str(v any, line int) string {
	if s, ok := v.(string); ok {
		return s
	}
	return r.text(str(v), line)
}

// spend counts the memory of a new value.
func (r *renderer) spend(n, line int) {
	if r.alloc += n; n > maxBytes || r.alloc > maxAlloc || r.alloc < 0 {
		fail(ErrLimit, line, "the template needs too much memory")
	}
}

// text counts the memory of a new string, and returns it.
func (r *renderer) text(s string, line int) string {
	r.spend(len(s), line)
	return s
}

// newList counts the memory of a new list, and returns it.
func (r *renderer) newList(items []any, line int) *list {
	r.spend(16*len(items), line)
	if items == nil {
		items = []any{}
	}
	return &list{items: items}
}

func (r *renderer) write(s string) {
	if r.out.Len()+len(s) > maxBytes {
		fail(ErrLimit, 0, "more than %d bytes of output", maxBytes)
	}
	if r.inner > 0 {
		r.spend(len(s), 0)
	}
	r.out.WriteString(s)
}

// capture runs statements and returns what they write.
func (r *renderer) capture(body []stmt, s *scope) string {
	out := r.out
	r.out = &strings.Builder{}
	r.inner++
	r.block(body, s)
	text := r.out.String()
	r.out = out
	r.inner--
	return text
}

func (r *renderer) block(body []stmt, s *scope) flow {
	for _, st := range body {
		r.step(0)
		if f := st.run(r, s); f != flowNext {
			return f
		}
	}
	return flowNext
}

func (st *dataStmt) run(r *renderer, _ *scope) flow {
	r.write(st.text)
	return flowNext
}

func (st *outputStmt) run(r *renderer, s *scope) flow {
	r.write(r.str(st.value.eval(r, s), 0))
	return flowNext
}

func (st *ifStmt) run(r *renderer, s *scope) flow {
	for i, c := range st.conds {
		if truth(c.eval(r, s)) {
			return r.block(st.bodies[i], s)
		}
	}
	return r.block(st.other, s)
}

func (st *blockStmt) run(r *renderer, s *scope) flow {
	r.write(r.capture(st.body, s.child()))
	return flowNext
}

func (st *flowStmt) run(*renderer, *scope) flow { return st.flow }

func (st *withStmt) run(r *renderer, s *scope) flow {
	inner := s.child()
	for i, t := range st.targets {
		inner.vars[t.name] = st.values[i].eval(r, s)
	}
	return r.block(st.body, inner)
}

func (st *filterStmt) run(r *renderer, s *scope) flow {
	var v any = r.capture(st.body, s.child())
	for _, f := range st.filters {
		v = f.apply(r, s, v)
	}
	r.write(r.str(v, 0))
	return flowNext
}

func (st *setStmt) run(r *renderer, s *scope) flow {
	var v any
	if st.value != nil {
		v = st.value.eval(r, s)
	} else {
		v = r.capture(st.body, s.child())
		for _, f := range st.filters {
			v = f.apply(r, s, v)
		}
	}
	if len(st.targets) == 1 {
		s.assign(st.targets[0], v)
		return flowNext
	}
	for i, x := range unpack(r, v, len(st.targets), st.line) {
		s.assign(st.targets[i], x)
	}
	return flowNext
}

func (s *scope) assign(t target, v any) {
	if t.attr == "" {
		s.vars[t.name] = v
		return
	}
	old, _ := s.get(t.name)
	ns, ok := old.(*namespace)
	if !ok {
		fail(ErrRender, t.line, "cannot set an attribute of %s, which is no namespace", t.name)
	}
	if strings.HasPrefix(t.attr, "_") {
		fail(ErrRender, t.line, "the name of an attribute begins with an underscore")
	}
	ns.set(t.attr, v)
}

func unpack(r *renderer, v any, n, line int) []any {
	items := r.iterate(v, line)
	r.work(16*n, line)
	if len(items) != n {
		fail(ErrRender, line, "%d values in place of %d", len(items), n)
	}
	return items
}

// iterate returns what a loop over v sees.
func (r *renderer) iterate(v any, line int) []any {
	switch v := v.(type) {
	case *list:
		return v.items
	case *dict:
		return v.keys
	case string:
		n := runes(v)
		r.spend(40*n, line) // the list, and the strings with their characters
		out := make([]any, 0, n)
		for _, c := range v {
			out = append(out, string(c))
		}
		return out
	case undefined:
		return nil
	}
	fail(ErrRender, line, "%s is not iterable", typeName(v))
	return nil
}

// A loop is the variable loop.
type loop struct {
	items []any
	index int
	last  []any // of changed
}

func (st *forStmt) run(r *renderer, s *scope) flow {
	items := r.iterate(st.over.eval(r, s), st.line)
	bind := func(inner *scope, v any) {
		if len(st.targets) == 1 {
			inner.vars[st.targets[0]] = v
			return
		}
		for i, x := range unpack(r, v, len(st.targets), st.line) {
			inner.vars[st.targets[i]] = x
		}
	}
	if st.cond != nil {
		var kept []any
		for _, v := range items {
			r.step(st.line)
			inner := s.child()
			bind(inner, v)
			if truth(st.cond.eval(r, inner)) {
				kept = append(kept, v)
			}
		}
		items = kept
	}
	if len(items) == 0 {
		return r.block(st.other, s.child())
	}
	l := &loop{items: items}
	for i, v := range items {
		r.step(st.line)
		l.index = i
		inner := s.child()
		inner.vars["loop"] = l
		bind(inner, v)
		if r.block(st.body, inner) == flowBreak {
			break
		}
	}
	return flowNext
}

// attr returns an attribute of the variable loop.
func (l *loop) attr(id string, line int) any {
	i, n := l.index, len(l.items)
	at := func(k int) any {
		if k < 0 || k >= n {
			return undefined{"there is no such item"}
		}
		return l.items[k]
	}
	switch id {
	case "index":
		return int64(i + 1)
	case "index0":
		return int64(i)
	case "revindex":
		return int64(n - i)
	case "revindex0":
		return int64(n - i - 1)
	case "first":
		return i == 0
	case "last":
		return i == n-1
	case "length":
		return int64(n)
	case "previtem":
		return at(i - 1)
	case "nextitem":
		return at(i + 1)
	case "cycle":
		return &function{"cycle", func(_ *renderer, c *call) any {
			if len(c.pos) == 0 {
				fail(ErrRender, line, "cycle without values")
			}
			return c.pos[l.index%len(c.pos)]
		}}
	case "changed":
		return &function{"changed", func(r *renderer, c *call) any {
			same := l.last != nil && r.equal(&list{items: l.last}, &list{items: c.pos})
			l.last = c.pos
			return !same
		}}
	case "depth", "depth0":
		fail(ErrUnsupported, line, "loop.%s", id)
	}
	return undefined{"loop has no attribute " + short(id, maxName)}
}

// A macro is a macro with the scope of its definition.
type macro struct {
	*macroStmt
	scope *scope
}

func (st *macroStmt) run(_ *renderer, s *scope) flow {
	s.vars[st.name] = &macro{st, s}
	return flowNext
}

func (st *callStmt) run(r *renderer, s *scope) flow {
	c := st.call.prepare(r, s)
	if c.named == nil {
		c.named = map[string]any{}
	}
	c.named["caller"] = &macro{st.macro, s}
	c.names = append(c.names, "caller")
	r.write(r.str(r.call(st.call.fn.eval(r, s), c), 0))
	return flowNext
}

func (m *macro) call(r *renderer, c *call) any {
	if r.calls++; r.calls > maxCalls {
		fail(ErrLimit, c.line, "macros call each other more than %d times", maxCalls)
	}
	r.work(64*(len(m.params)+len(c.named)), c.line)
	inner := m.scope.child()
	rest := c.pos
	used := map[string]bool{"caller": true}
	for i, p := range m.params {
		used[p] = true
		switch v, ok := c.named[p]; {
		case len(rest) > 0:
			inner.vars[p], rest = rest[0], rest[1:]
		case ok:
			inner.vars[p] = v
		case i >= len(m.params)-len(m.defaults):
			inner.vars[p] = m.defaults[i-(len(m.params)-len(m.defaults))].eval(r, inner)
		default:
			inner.vars[p] = undefined{"parameter '" + short(p, maxName) + "' was not provided"}
		}
	}
	kwargs := newDict()
	for _, k := range c.order() {
		if !used[k] {
			kwargs.set(k, c.named[k])
		}
	}
	inner.vars["varargs"], inner.vars["kwargs"] = &list{items: rest, tuple: true}, kwargs
	if v, ok := c.named["caller"]; ok {
		inner.vars["caller"] = v
	}
	text := r.capture(m.body, inner)
	r.calls--
	return text
}
