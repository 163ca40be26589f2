package pickle

import "unsafe"

// Fields maps the keys of a dict to fields of a T. Reading and writing use the same list
// of fields.
type Fields[T any] struct {
	list []Field[T]
	at   map[string]int // by key
}

// FieldsOf returns the Fields for a list of fields. They are written in the order of the
// list.
func FieldsOf[T any](list ...Field[T]) Fields[T] {
	f := Fields[T]{list, make(map[string]int, len(list))}
	for i, x := range list {
		f.at[x.key] = i
	}
	return f
}

// Read reads d into *to. It sets the field for each key that has a field, and skips all
// other keys.
func (f Fields[T]) Read(r *Reader, d *Dict, to *T) {
	// Copy the slices: if the dict contains itself, a field may convert and thereby clear
	// it.
	keys, values := d.Keys, d.Values
	for i, k := range keys {
		if at, ok := f.at[k]; ok {
			f.list[at].read(r, k, values[i], to)
		}
	}
}

// Write writes the fields of *from as a dict.
func (f Fields[T]) Write(w *Writer, from *T) {
	w.Dict(func() {
		for i := range f.list {
			if x := &f.list[i]; x.omit == nil || !x.omit(from) {
				w.Str(x.key)
				x.write(w, from)
			}
		}
	})
}

// Field is a key of a dict, with functions that read and write its value.
type Field[T any] struct {
	key   string
	read  func(r *Reader, key string, v any, to *T)
	write func(w *Writer, from *T)
	omit  func(*T) bool
}

// ValueField returns a field of any type. write writes only the value, not the key.
func ValueField[T any](key string, read func(r *Reader, key string, v any, to *T),
	write func(w *Writer, from *T),
) Field[T] {
	return Field[T]{key: key, read: read, write: write}
}

// Unless makes Write omit the field if omit returns true.
func (f Field[T]) Unless(omit func(*T) bool) Field[T] {
	f.omit = omit
	return f
}

// IntField returns a field that is an integer.
func IntField[T any, N ~int | ~int64](key string, at func(*T) *N) Field[T] {
	return ValueField(key,
		func(r *Reader, key string, v any, to *T) { *at(to) = N(r.Int(key, v)) },
		func(w *Writer, from *T) { w.Int(int64(*at(from))) })
}

// UintField returns a field that is an unsigned 64-bit integer.
func UintField[T any](key string, at func(*T) *uint64) Field[T] {
	return ValueField(key,
		func(r *Reader, key string, v any, to *T) { *at(to) = r.Uint(key, v) },
		func(w *Writer, from *T) { w.Uint(*at(from)) })
}

// StringField returns a field that is a string. None is read as "".
func StringField[T any](key string, at func(*T) *string) Field[T] {
	return ValueField(key,
		func(r *Reader, key string, v any, to *T) { *at(to) = r.String(key, v) },
		func(w *Writer, from *T) { w.Str(*at(from)) })
}

// BoolField returns a field that is a bool. Any other value is read as false.
func BoolField[T any](key string, at func(*T) *bool) Field[T] {
	return ValueField(key,
		func(_ *Reader, _ string, v any, to *T) { *at(to), _ = v.(bool) },
		func(w *Writer, from *T) { w.Bool(*at(from)) })
}

// PairField returns a field that is a tuple of two integers. If the tuple is shorter, the
// remaining integers stay unchanged.
func PairField[T any](key string, at func(*T) *[2]int64) Field[T] {
	return ValueField(key,
		func(r *Reader, key string, v any, to *T) {
			items := r.List(key, v).Items
			for i, n := range items[:min(2, len(items))] {
				at(to)[i] = r.Int(key, n)
			}
		},
		func(w *Writer, from *T) { w.Pair(at(from)[0], at(from)[1]) })
}

// Once returns the result of parse for a string in the pickle. It calls parse only once
// for each string, however often the string occurs.
func Once[T any](r *Reader, s string, parse func(string) T) T {
	at := unsafe.StringData(s) // equal strings of a pickle share memory
	if t, ok := r.parsed[at].(T); ok {
		return t
	}
	t := parse(s)
	r.parsed[at] = t
	return t
}
