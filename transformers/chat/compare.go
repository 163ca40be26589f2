package chat

import "strings"

// number returns v as a number; bools are numbers, too.
func number(v any) (i int64, f float64, isInt, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, 1, true, true
		}
		return 0, 0, true, true
	case int64:
		return v, float64(v), true, true
	case float64:
		return 0, v, false, true
	}
	return 0, 0, false, false
}

// maxEqual is the greatest number of values that one comparison looks at.
const maxEqual = 100_000

// equal is Python's ==. It counts a step for each value, and for each part of a long string.
func (r *renderer) equal(a, b any) bool {
	budget := maxEqual
	ok := equalWithin(a, b, &budget)
	r.steps += maxEqual - budget - 1
	r.step(0)
	return ok
}

func equalWithin(a, b any, budget *int) bool {
	if *budget--; *budget < 0 {
		fail(ErrLimit, 0, "values are too large to compare")
	}
	if i, f, isInt, ok := number(a); ok {
		j, g, isInt2, ok2 := number(b)
		if isInt && isInt2 {
			return ok2 && i == j
		}
		return ok2 && f == g
	}
	switch a := a.(type) {
	case nil:
		return b == nil
	case undefined:
		_, ok := b.(undefined)
		return ok
	case string:
		s, ok := b.(string)
		if !ok || len(a) != len(s) {
			return false
		}
		*budget -= len(a) / bytesPerStep
		return a == s
	case *list:
		l, ok := b.(*list)
		if !ok || a.tuple != l.tuple || len(a.items) != len(l.items) {
			return false
		}
		for i := range a.items {
			if !equalWithin(a.items[i], l.items[i], budget) {
				return false
			}
		}
		return true
	case *dict:
		d, ok := b.(*dict)
		if !ok || len(a.keys) != len(d.keys) {
			return false
		}
		for _, k := range a.keys {
			v, ok := d.get(k)
			if !ok || !equalWithin(a.at(k), v, budget) {
				return false
			}
		}
		return true
	case *namespace, *macro, *loop:
		return a == b
	}
	return false
}

// compareValues returns a negative number, 0 or a positive number, as Python orders values.
func (r *renderer) compareValues(a, b any, line int) int {
	r.step(line)
	if i, f, isInt, ok := number(a); ok {
		if j, g, isInt2, ok2 := number(b); ok2 {
			if isInt && isInt2 {
				return sign(i < j, i > j)
			}
			return sign(f < g, f > g)
		}
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			r.work(min(len(x), len(y)), line)
			return strings.Compare(x, y)
		}
	case *list:
		if y, ok := b.(*list); ok && x.tuple == y.tuple {
			for i := range min(len(x.items), len(y.items)) {
				if !r.equal(x.items[i], y.items[i]) {
					return r.compareValues(x.items[i], y.items[i], line)
				}
			}
			return len(x.items) - len(y.items)
		}
	}
	fail(ErrRender, line, "%s and %s have no order", typeName(a), typeName(b))
	return 0
}

func sign(less, more bool) int {
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}

func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case undefined:
		return "Undefined"
	case bool:
		return "bool"
	case int64:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case *list:
		if v.tuple {
			return "tuple"
		}
		return "list"
	case *dict:
		return "dict"
	case *namespace:
		return "Namespace"
	}
	return "function"
}
