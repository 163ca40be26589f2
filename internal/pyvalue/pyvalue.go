// Package pyvalue represents the values of Python's state dicts, for packages that do not
// read or write files themselves. A dict is a [Dict], a list or tuple is a slice or an
// array, and numbers may have several types. Package torch/serialization can write all of
// these types, and returns the same types.
package pyvalue

import (
	"math"
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// Source is anything with the keys and values of a Python dict: a *serialization.Dict, a
// state dict of an optimizer or scheduler, or a [Dict].
type Source interface {
	// Each calls fn with keys and values in order until it returns false.
	Each(fn func(key, value any) bool)
}

// Dict is a dict to be written, in the order of its entries.
type Dict []Entry

// Entry is an entry of a [Dict].
type Entry struct{ Key, Value any }

// Each implements [Source].
func (d Dict) Each(fn func(key, value any) bool) {
	for _, e := range d {
		if !fn(e.Key, e.Value) {
			return
		}
	}
}

// Named returns the entries of a dict with string keys. If a key is not a string, it
// returns that key and false.
func Named(src Source) (entries map[string]any, foreign any, ok bool) {
	entries, ok = map[string]any{}, true
	src.Each(func(key, value any) bool {
		var name string
		if name, ok = key.(string); !ok {
			foreign = key
			return false
		}
		entries[name] = value
		return true
	})
	return entries, foreign, ok
}

// Items returns the items of v and true if v stands for a Python list or tuple: a Go
// slice or array of elements other than bytes.
func Items(v any) ([]any, bool) {
	if items, ok := v.([]any); ok {
		return items, true
	}
	r := reflect.ValueOf(v)
	if !r.IsValid() || r.Kind() != reflect.Slice && r.Kind() != reflect.Array ||
		r.Type().Elem().Kind() == reflect.Uint8 {
		return nil, false
	}
	items := make([]any, r.Len())
	for i := range items {
		items[i] = r.Index(i).Interface()
	}
	return items, true
}

// IsTuple reports whether v stands for a tuple: an array or a slice of a named type.
// Other slices stand for lists.
func IsTuple(v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && (t.Kind() == reflect.Array || t.Kind() == reflect.Slice && t.Name() != "")
}

// Int converts v to an int64. A float with a whole value is converted too, because Python
// may store an integer as a float.
func Int(v any) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case int:
		return int64(v), true
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) < 1<<62
	}
	return 0, false
}

// Float converts v to a float64. An int or a tensor of one element is converted too,
// because Python may store a number in these forms.
func Float(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case *torch.Tensor:
		// Item panics if the tensor is closed or has several elements.
		err := torch.Try(func() { f, ok = v.Item(), !v.DType().IsComplex() })
		return f, ok && err == nil
	}
	return 0, false
}

// Floats converts a list of numbers.
func Floats(v any) ([]float64, bool) {
	items, ok := Items(v)
	if !ok {
		return nil, false
	}
	out := make([]float64, len(items))
	for i, item := range items {
		if out[i], ok = Float(item); !ok {
			return nil, false
		}
	}
	return out, true
}

// Ints converts a list of whole numbers.
func Ints(v any) ([]int64, bool) {
	items, ok := Items(v)
	if !ok {
		return nil, false
	}
	out := make([]int64, len(items))
	for i, item := range items {
		if out[i], ok = Int(item); !ok {
			return nil, false
		}
	}
	return out, true
}
