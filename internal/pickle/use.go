package pickle

// What a caller of Run needs to turn values into its own. Each fails if a value is
// of another type than wanted.

// Spend counts dicts, their keys, and what lists that are shared hold, each time
// that they are turned into a part of the snapshot. Writers write each where it
// belongs, at a byte or more; only stacks and strings are references to what is
// elsewhere. So a file within which few bytes stand for very much is damaged, or
// made to exhaust its reader.
func (u *Reader) Spend(key string, n int) {
	if u.spent += int64(n); u.spent > u.read {
		u.Fail("%s: more values than the file has bytes: it refers to the same ones again and again", key)
	}
}

// List is the value of a key that has to be a list.
func (u *Reader) List(key string, v any) *List {
	l, ok := v.(*List)
	if !ok {
		u.Fail("%s: %T is no list", key, v)
	}
	return l
}

// Dicts is the value of a key that has to be a list of dicts.
func (u *Reader) Dicts(key string, v any) []*Dict {
	l := u.List(key, v)
	out := make([]*Dict, len(l.Items))
	for i, v := range l.Items {
		d, ok := v.(*Dict)
		if !ok {
			u.Fail("%s: %T is no dict", key, v)
		}
		out[i] = d
	}
	return out
}

// String is the value of a key that has to be a string, or None, which is "".
func (u *Reader) String(key string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return ""
	}
	u.Fail("%s: %T is no string", key, v)
	return ""
}

// Int is the value of a key that has to be an integer of 64 bits, or a bool.
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
	u.Fail("%s: %T is no integer", key, v)
	return 0
}

// Uint is Int for integers up to 1<<64-1.
func (u *Reader) Uint(key string, v any) uint64 {
	if n, ok := v.(uint64); ok {
		return n
	}
	return uint64(u.Int(key, v))
}

// Plain copies the value of a key that may be anything, without the types of this
// package: dicts are map[string]any, lists []any, and integers above 1<<63-1
// float64. A pickle may hold a dict within itself, or one a thousand times, so the
// depth is bounded, and to 65,536 the number of values.
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
