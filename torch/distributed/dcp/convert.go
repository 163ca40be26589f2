package dcp

import (
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch/serialization"
)

// A loaded value gets the type of the value that it replaces, so that a program gets back the int
// that it saved.

// valueOfType returns v as a reflect.Value, or the zero value of t if v is nil.
func valueOfType(v any, t reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(v)
}

// convert converts a value from a checkpoint to type t. If t is nil, it returns v unchanged. most
// is the largest number of values that v may have, including nested ones, if it is converted. A small
// file can describe lists that each contain another list many times.
func convert(v any, t reflect.Type, most int64) (any, error) {
	if t == nil {
		return v, nil
	}
	c := converter{most, most}
	r, err := c.deep(v, t, 0)
	if err != nil {
		return nil, err
	}
	return r.Interface(), nil
}

// converter converts a value with nested values. left is the number of values that it may still
// convert.
type converter struct{ left, most int64 }

func (c *converter) deep(v any, t reflect.Type, depth int) (reflect.Value, error) {
	none := reflect.Value{}
	if c.left--; c.left < 0 {
		return none, fmt.Errorf("the value has more than %d items, which its size in the file does not explain", c.most)
	}
	unlike := func() (reflect.Value, error) {
		return none, fmt.Errorf("the checkpoint has a %s, but the state has a %v", kindOf(v), t)
	}
	if depth > mostDepth {
		return none, fmt.Errorf("values are nested more than %d levels deep", mostDepth)
	}
	if v == nil {
		switch t.Kind() {
		case reflect.Interface, reflect.Map, reflect.Slice, reflect.Pointer:
			return reflect.Zero(t), nil
		}
		return unlike()
	}
	r := reflect.ValueOf(v)
	if r.Type().AssignableTo(t) {
		out := reflect.New(t).Elem()
		out.Set(r)
		return out, nil
	}
	out := reflect.New(t).Elem()
	switch pyvalue.SetBasic(out, v) {
	case pyvalue.Fits:
		return out, nil
	case pyvalue.TooLarge:
		return none, fmt.Errorf("%s does not fit in a %v", plain.Short(fmt.Sprint(v)), t)
	case pyvalue.Unlike:
		return unlike()
	}
	switch {
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		items, ok := pyvalue.Items(v)
		if b, is := bytesIn(v); is {
			if !reflect.TypeFor[[]byte]().ConvertibleTo(t) {
				return unlike()
			}
			return reflect.ValueOf(b).Convert(t), nil
		}
		switch {
		case !ok:
			return unlike()
		case t.Kind() == reflect.Slice:
			out.Set(reflect.MakeSlice(t, len(items), len(items)))
		case t.Len() != len(items):
			return none, fmt.Errorf("the checkpoint has %d values, which do not fit in a %v", len(items), t)
		}
		if err := c.items(items, out, depth); err != nil {
			return none, err
		}
	case t.Kind() == reflect.Map:
		each, ok := entriesOf(v)
		if !ok {
			return unlike()
		}
		if err := c.dict(each, out, depth); err != nil {
			return none, err
		}
	default:
		return unlike()
	}
	return out, nil
}

// items sets the elements of a slice or an array.
func (c *converter) items(items []any, out reflect.Value, depth int) error {
	for i, item := range items {
		x, err := c.deep(item, out.Type().Elem(), depth+1)
		if err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
		out.Index(i).Set(x)
	}
	return nil
}

// entriesOf returns a function that calls fn for each entry of a dict of a file, or of the dict that
// several values of a file form, until fn returns false. Keys of the latter are strings.
func entriesOf(v any) (each func(fn func(key, value any) bool), ok bool) {
	switch v := v.(type) {
	case *serialization.Dict:
		return v.Each, true
	case map[string]any:
		return func(fn func(key, value any) bool) {
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if !fn(key, v[key]) {
					return
				}
			}
		}, true
	}
	return nil, false
}

// dict sets a map with the entries of a dict.
func (c *converter) dict(each func(fn func(key, value any) bool), out reflect.Value, depth int) (err error) {
	t := out.Type()
	out.Set(reflect.MakeMap(t))
	each(func(key, value any) bool {
		k := reflect.New(t.Key()).Elem()
		if text, isText := key.(string); isText && t.Key().Kind() != reflect.String {
			if n, wrong := strconv.ParseInt(text, 10, 64); wrong == nil {
				key = n
			}
		}
		if pyvalue.SetBasic(k, key) != pyvalue.Fits {
			err = fmt.Errorf("expected a %v as a key, got a %s", t.Key(), kindOf(key))
			return false
		}
		var x reflect.Value
		if x, err = c.deep(value, t.Elem(), depth+1); err != nil {
			err = fmt.Errorf("%s: %w", quoteName(fmt.Sprint(key)), err)
			return false
		}
		out.SetMapIndex(k, x)
		return true
	})
	return err
}

// bytesIn returns the bytes of v and true if v is a Python bytes or bytearray.
func bytesIn(v any) ([]byte, bool) {
	switch v := v.(type) {
	case []byte:
		return v, true
	case serialization.ByteArray:
		return v, true
	}
	return nil, false
}

// kindOf returns the name of the Python type of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case complex128:
		return "complex"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case []any:
		return "list"
	case serialization.Tuple:
		return "tuple"
	case *serialization.Dict:
		return "dict"
	}
	return fmt.Sprintf("%T", v)
}
