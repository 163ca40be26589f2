package pickle

// Helpers for callers of Run that convert values. Each fails if a value does not have the
// expected type.

// Spend counts n values that a caller converts: dicts, their keys, or elements of lists
// that several values refer to. It fails if more values were converted than the file has
// bytes. In a file written by Python each such value takes at least one byte, because
// only stacks and strings are written as references. A file that expands further is
// damaged or hostile.
func (u *Reader) Spend(key string, n int) {
	if u.spent += int64(n); u.spent > u.read {
		u.Fail("%s: more values than the file has bytes: it refers to the same ones again and again", key)
	}
}

// List returns the value of a key that must be a list.
func (u *Reader) List(key string, v any) *List {
	l, ok := v.(*List)
	if !ok {
		u.Fail("%s: %T is not a list", key, v)
	}
	return l
}

// Dicts returns the value of a key that must be a list of dicts.
func (u *Reader) Dicts(key string, v any) []*Dict {
	l := u.List(key, v)
	out := make([]*Dict, len(l.Items))
	for i, v := range l.Items {
		d, ok := v.(*Dict)
		if !ok {
			u.Fail("%s: %T is not a dict", key, v)
		}
		out[i] = d
	}
	return out
}

// String returns the value of a key that must be a string or None. It returns "" for
// None.
func (u *Reader) String(key string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	u.Fail("%s: %T is not a string", key, v)
	return ""
}

// Int returns the value of a key that must be a 64-bit integer or a bool.
func (u *Reader) Int(key string, v any) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case bool:
		if v {
			return 1
		}
		return 0
	}
	u.Fail("%s: %T is not an integer", key, v)
	return 0
}

// Uint is like Int, for integers up to 1<<64-1.
func (u *Reader) Uint(key string, v any) uint64 {
	if n, ok := v.(uint64); ok {
		return n
	}
	return uint64(u.Int(key, v))
}

// Plain converts the value of a key to Go's own types: dicts become map[string]any, lists
// []any, and integers above 1<<63-1 float64. A dict may contain itself, or contain
// another dict a thousand times. So Plain limits the depth, and limits the number of
// values to 65,536.
func (u *Reader) Plain(key string, v any) any {
	budget := 1 << 16
	return u.plain(key, v, 0, &budget)
}

func (u *Reader) plain(key string, v any, depth int, budget *int) any {
	if *budget--; *budget < 0 || depth > 16 {
		u.Fail("%s: too large", key)
	}
	switch v := v.(type) {
	case *Dict:
		m := make(map[string]any, len(v.Keys))
		for i, k := range v.Keys {
			m[k] = u.plain(key, v.Values[i], depth+1, budget)
		}
		return m
	case *List:
		l := make([]any, len(v.Items))
		for i, e := range v.Items {
			l[i] = u.plain(key, e, depth+1, budget)
		}
		return l
	case uint64:
		return float64(v)
	}
	return v
}
