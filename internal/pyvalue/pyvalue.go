// Package pyvalue is what Python's state dicts are made of, for packages that neither read
// nor write files: dicts that can be ranged over, lists and tuples as slices and arrays,
// and numbers of several types. Package torch/serialization writes all of it, and what it
// reads is of these forms.
package pyvalue

import (
	"math"
	"reflect"

	"github.com/gotorch/gotorch/torch"
)

// Source is anything that has keys and values as a dict of Python has: *serialization.Dict,
// state dicts of optimizers and schedulers, [Dict].
type Source interface {
	// Each calls fn with keys and values in order until it returns false.
	Each(fn func(key, value any) bool)
}

// Dict is a dict that is about to be written, in the order of its entries.
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

// IsNil reports whether there is no dict: nil, or a nil pointer of some type. A nil map is
// an empty one.
func IsNil(src Source) bool {
	v := reflect.ValueOf(src)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// Named returns the entries of a dict whose keys are strings, or a key that is none.
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

// Items returns the items of a list or tuple, any slice or array, but not of bytes.
func Items(v any) ([]any, bool) {
	if items, ok := v.([]any); ok {
		return items, true
	}
	r := reflect.ValueOf(v)
	if !r.IsValid() || r.Kind() != reflect.Slice && r.Kind() != reflect.Array || r.Type().Elem().Kind() == reflect.Uint8 {
		return nil, false
	}
	items := make([]any, r.Len())
	for i := range items {
		items[i] = r.Index(i).Interface()
	}
	return items, true
}

// IsTuple reports whether a value is a tuple and no list: an array, or a type of slices
// that has a name.
func IsTuple(v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && (t.Kind() == reflect.Array || t.Kind() == reflect.Slice && t.Name() != "")
}

// Int returns a whole number, which may be a float in Python.
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

// Float returns a number, which may be an int or a tensor of one element in Python.
func Float(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case int:
		return float64(v), true
	case *torch.Tensor:
		err := torch.Try(func() { f, ok = v.Item(), !v.DType().IsComplex() }) // one that is closed or has no number panics
		return f, ok && err == nil
	}
	return 0, false
}

// Floats returns the numbers of a list.
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

// Ints returns the whole numbers of a list.
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
