package chat

import "strings"

// A test is what follows `is`.
type test func(r *renderer, v any, c *call) bool

var tests map[string]test

func init() {
	compare := func(op string) test {
		return func(r *renderer, v any, c *call) bool { return r.compare(op, v, c.arg(0, "other", nil), c.line) }
	}
	tests = map[string]test{
		"defined":   func(_ *renderer, v any, _ *call) bool { _, ok := v.(undefined); return !ok },
		"undefined": func(_ *renderer, v any, _ *call) bool { _, ok := v.(undefined); return ok },
		"none":      func(_ *renderer, v any, _ *call) bool { return v == nil },
		"boolean":   func(_ *renderer, v any, _ *call) bool { _, ok := v.(bool); return ok },
		"true":      func(_ *renderer, v any, _ *call) bool { return v == true },
		"false":     func(_ *renderer, v any, _ *call) bool { return v == false },
		"integer":   func(_ *renderer, v any, _ *call) bool { _, ok := v.(int64); return ok },
		"float":     func(_ *renderer, v any, _ *call) bool { _, ok := v.(float64); return ok },
		"number":    func(_ *renderer, v any, _ *call) bool { _, _, _, ok := number(v); return ok },
		"string":    func(_ *renderer, v any, _ *call) bool { _, ok := v.(string); return ok },
		"mapping":   func(_ *renderer, v any, _ *call) bool { _, ok := v.(*dict); return ok },
		"sequence":  isSequence, "iterable": isIterable,
		"callable": func(_ *renderer, v any, _ *call) bool {
			switch v.(type) {
			case *function, *macro:
				return true
			}
			return false
		},
		"even":        func(_ *renderer, v any, c *call) bool { return remainder(v, 2, c) == 0 },
		"odd":         func(_ *renderer, v any, c *call) bool { return remainder(v, 2, c) == 1 },
		"divisibleby": func(_ *renderer, v any, c *call) bool { return remainder(v, c.integer(0, "num", 0), c) == 0 },
		"sameas":      func(r *renderer, v any, c *call) bool { return r.same(v, c.arg(0, "other", nil)) },
		"lower":       func(r *renderer, v any, c *call) bool { return isCased(r.str(v, c.line), "islower") },
		"upper":       func(r *renderer, v any, c *call) bool { return isCased(r.str(v, c.line), "isupper") },
		"escaped":     func(*renderer, any, *call) bool { return false },
		"filter":      func(_ *renderer, v any, _ *call) bool { s, ok := v.(string); return ok && filters[s] != nil },
		"test":        func(_ *renderer, v any, _ *call) bool { s, ok := v.(string); return ok && tests[s] != nil },
		"in":          func(r *renderer, v any, c *call) bool { return r.contains(c.arg(0, "seq", nil), v, c.line) },
		"eq":          compare("=="), "equalto": compare("=="), "==": compare("=="),
		"ne": compare("!="), "!=": compare("!="), "lt": compare("<"), "lessthan": compare("<"), "<": compare("<"),
		"le": compare("<="), "<=": compare("<="), "gt": compare(">"), "greaterthan": compare(">"), ">": compare(">"),
		"ge": compare(">="), ">=": compare(">="),
	}
}

func isSequence(_ *renderer, v any, _ *call) bool {
	switch v.(type) {
	case string, *list, *dict, undefined:
		return true
	}
	return false
}

func isIterable(_ *renderer, v any, _ *call) bool {
	switch v.(type) {
	case string, *list, *dict, undefined, *loop:
		return true
	}
	return false
}

func remainder(v any, n int64, c *call) int64 {
	i, _, isInt, _ := number(v)
	if !isInt || n == 0 {
		fail(ErrRender, c.line, "%s of %s", c.what, repr(v))
	}
	m, ok := (&binaryExpr{op: "%", line: c.line}).integers(i, n).(int64)
	if !ok {
		return -1
	}
	return m
}

// same is Python's `is` for values that a template can have.
func (r *renderer) same(a, b any) bool {
	switch a.(type) {
	case *list, *dict, *namespace, *macro, *function, *loop, nil, bool:
		return a == b
	case undefined:
		return false
	}
	return typeName(a) == typeName(b) && r.equal(a, b)
}

func isCased(s, name string) bool {
	return !strings.ContainsRune(s, 0) && stringMethods[name](nil, s, nil).(bool)
}
