package chat

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

func (e *unaryExpr) eval(r *renderer, s *scope) any {
	v := e.of.eval(r, s)
	if e.op == "not" {
		return !truth(v)
	}
	i, f, isInt, ok := number(v)
	switch {
	case !ok:
		fail(ErrRender, e.line, "%s with %s", e.op, typeName(v))
	case e.op == "+" && isInt:
		return i
	case e.op == "+":
		return f
	case isInt:
		return -i
	}
	return -f
}

func (e *compareExpr) eval(r *renderer, s *scope) any {
	r.step(e.line)
	left := e.first.eval(r, s)
	for i, op := range e.ops {
		right := e.rest[i].eval(r, s)
		if !r.compare(op, left, right, e.line) {
			return false
		}
		left = right
	}
	return true
}

func (r *renderer) compare(op string, a, b any, line int) bool {
	switch op {
	case "==":
		return r.equal(a, b)
	case "!=":
		return !r.equal(a, b)
	case "in":
		return r.contains(b, a, line)
	case "not in":
		return !r.contains(b, a, line)
	}
	n := r.compareValues(a, b, line)
	switch op {
	case "<":
		return n < 0
	case "<=":
		return n <= 0
	case ">":
		return n > 0
	}
	return n >= 0
}

func (r *renderer) contains(in, v any, line int) bool {
	switch in := in.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			fail(ErrRender, line, "%s in a string", typeName(v))
		}
		r.work(len(in)+len(s), line)
		return strings.Contains(in, s)
	case *dict:
		_, ok := in.get(v)
		return ok
	case *list:
		return slices.ContainsFunc(in.items, func(x any) bool { return r.equal(x, v) })
	case undefined:
		return false
	}
	fail(ErrRender, line, "%s is not iterable", typeName(in))
	return false
}

func (e *binaryExpr) eval(r *renderer, s *scope) any {
	r.step(e.line)
	a := e.left.eval(r, s)
	switch e.op {
	case "and":
		if !truth(a) {
			return a
		}
		return e.right.eval(r, s)
	case "or":
		if truth(a) {
			return a
		}
		return e.right.eval(r, s)
	}
	b := e.right.eval(r, s)
	if e.op == "~" {
		return r.text(r.str(a, e.line)+r.str(b, e.line), e.line)
	}
	i, f, isInt, ok := number(a)
	j, g, isInt2, ok2 := number(b)
	switch {
	case ok && ok2 && isInt && isInt2:
		return e.integers(i, j)
	case ok && ok2:
		return e.floats(f, g)
	case isInt && e.op == "*":
		return e.repeat(r, b, i)
	case isInt2 && e.op == "*":
		return e.repeat(r, a, j)
	}
	return e.sequences(r, a, b)
}

func (e *binaryExpr) sequences(r *renderer, a, b any) any {
	for _, v := range []any{a, b} {
		if u, ok := v.(undefined); ok {
			fail(ErrRender, e.line, "%s", u.what)
		}
	}
	if x, ok := a.(string); ok && e.op == "%" {
		return r.text(r.percent(x, b, e.line), e.line)
	}
	if e.op == "+" {
		switch x := a.(type) {
		case string:
			if y, ok := b.(string); ok {
				return r.text(x+y, e.line)
			}
		case *list:
			if y, ok := b.(*list); ok && x.tuple == y.tuple {
				l := r.newList(append(slices.Clone(x.items), y.items...), e.line)
				l.tuple = x.tuple
				return l
			}
		}
	}
	fail(ErrRender, e.line, "%s with %s and %s", e.op, typeName(a), typeName(b))
	return nil
}

func (e *binaryExpr) repeat(r *renderer, v any, n int64) any {
	n = max(n, 0)
	switch v := v.(type) {
	case string:
		if n > 0 && int64(len(v)) > maxBytes/n {
			fail(ErrLimit, e.line, "a string is too long")
		}
		return r.text(strings.Repeat(v, int(n)), e.line)
	case *list:
		if n > 0 && int64(len(v.items)) > maxBytes/16/n {
			fail(ErrLimit, e.line, "a list is too long")
		}
		return r.newList(slices.Repeat(v.items, int(n)), e.line)
	case undefined:
		fail(ErrRender, e.line, "%s", v.what)
	}
	fail(ErrRender, e.line, "* with %s", typeName(v))
	return nil
}

func (e *binaryExpr) integers(a, b int64) any {
	big := func(ok bool) {
		if !ok {
			fail(ErrUnsupported, e.line, "integers of more than 64 bits")
		}
	}
	switch e.op {
	case "+":
		big((a+b > a) == (b > 0))
		return a + b
	case "-":
		big((a-b < a) == (b > 0))
		return a - b
	case "*":
		big(a == 0 || (a*b)/a == b && (a != -1 || b != math.MinInt64))
		return a * b
	case "/", "//", "%":
		if b == 0 {
			fail(ErrRender, e.line, "division by zero")
		}
		if e.op == "/" {
			return float64(a) / float64(b)
		}
		q, m := a/b, a%b
		if m != 0 && (m < 0) != (b < 0) {
			q, m = q-1, m+b
		}
		if e.op == "%" {
			return m
		}
		return q
	}
	if b < 0 { // **
		return math.Pow(float64(a), float64(b))
	}
	out := int64(1)
	for range min(b, 64) {
		big(out == 0 || (out*a)/out == a)
		out *= a
	}
	big(b <= 64 || a == 0 || a == 1 || a == -1)
	if a == -1 && b%2 == 1 {
		out = -1
	}
	return out
}

func (e *binaryExpr) floats(a, b float64) any {
	switch e.op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "**":
		return math.Pow(a, b)
	}
	if b == 0 {
		fail(ErrRender, e.line, "division by zero")
	}
	switch e.op {
	case "/":
		return a / b
	case "//":
		return math.Floor(a / b)
	}
	m := math.Mod(a, b)
	if m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m
}

// runes returns the length of a string as Python counts it.
func runes(s string) int { return utf8.RuneCountInString(s) }
