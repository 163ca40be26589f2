package checkpoint

import (
	"encoding"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/gotorch/gotorch/internal/pyvalue"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// decode is the inverse of encode. It converts a value from a file and stores it in a Go
// variable. If decode returns an error, the variable may be partly set.
func decode(from any, to reflect.Value, where string) error {
	t := to.Type()
	mismatch := func() error {
		return plainErrorf(torch.ErrMismatch, where, "the file has %s, expected a value of type %v", describe(from), t)
	}
	if t.Kind() == reflect.Interface {
		v := reflect.ValueOf(goValue(from))
		switch {
		case !v.IsValid():
			to.SetZero()
		case v.Type().AssignableTo(t):
			to.Set(v)
		default:
			return mismatch()
		}
		return nil
	}
	if n, ok := from.(int64); ok && t == bigType {
		from = big.NewInt(n)
	}
	if slices.Contains(fileTypes, t) {
		switch v := reflect.ValueOf(from); {
		case !v.IsValid() && t.Kind() == reflect.Pointer:
			to.SetZero()
		case v.IsValid() && v.Type() == t:
			to.Set(v)
		default:
			return mismatch()
		}
		return nil
	}
	if s, ok := from.(string); ok && isText(t) {
		if err := to.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
			return plainErrorf(torch.ErrMismatch, where, "%v", err)
		}
		return nil
	}
	if from == nil {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			to.SetZero()
			return nil
		}
		return mismatch()
	}
	switch pyvalue.SetBasic(to, from) {
	case pyvalue.Fits:
		return nil
	case pyvalue.Unlike, pyvalue.TooLarge:
		return mismatch()
	}
	ok, err := decodeComposite(from, to, where)
	if !ok {
		return mismatch()
	}
	return err
}

// decodeComposite is decode for pointers, slices, arrays, maps and structs. ok is false if the
// value does not fit the type of the variable.
func decodeComposite(from any, to reflect.Value, where string) (ok bool, err error) {
	t := to.Type()
	switch t.Kind() {
	case reflect.Pointer:
		v := reflect.New(t.Elem())
		if !to.IsNil() {
			v.Elem().Set(to.Elem())
		}
		if err := decode(from, v.Elem(), where); err != nil {
			return true, err
		}
		to.Set(v)
		return true, nil
	case reflect.Slice:
		if b, is := from.([]byte); is && t.Elem().Kind() == reflect.Uint8 {
			to.SetBytes(slices.Clone(b))
			return true, nil
		}
		items, ok := list(from)
		if !ok {
			return false, nil
		}
		v := reflect.MakeSlice(t, len(items), len(items))
		if err := decodeItems(items, v, where); err != nil {
			return true, err
		}
		to.Set(v)
		return true, nil
	case reflect.Array:
		if items, ok := list(from); ok && len(items) == t.Len() {
			return true, decodeItems(items, to, where)
		}
	case reflect.Map:
		if d, ok := from.(*serialization.Dict); ok {
			return true, decodeMap(d, to, where)
		}
	case reflect.Struct:
		if d, ok := from.(*serialization.Dict); ok {
			return true, decodeStruct(d, to, where)
		}
	}
	return false, nil
}

func list(from any) ([]any, bool) {
	switch v := from.(type) {
	case []any:
		return v, true
	case serialization.Tuple:
		return v, true
	}
	return nil, false
}

func decodeItems(items []any, to reflect.Value, where string) error {
	for i, item := range items {
		if err := decode(item, to.Index(i), where+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

func decodeMap(d *serialization.Dict, to reflect.Value, where string) (err error) {
	t := to.Type()
	m := reflect.MakeMapWithSize(t, d.Len())
	d.Each(func(key, value any) bool {
		at := where + "[" + describe(key) + "]"
		k, v := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err = decode(key, k, at); err == nil {
			err = decode(value, v, at)
		}
		if err == nil {
			m.SetMapIndex(k, v)
		}
		return err == nil
	})
	if err == nil {
		to.Set(m)
	}
	return err
}

// decodeStruct sets the fields that the file has. Other fields, which the program may have
// added, stay unchanged.
func decodeStruct(d *serialization.Dict, to reflect.Value, where string) (err error) {
	d.Each(func(key, value any) bool {
		name, ok := key.(string)
		f, there := to.Type().FieldByName(name)
		if !ok || !there || len(f.Index) != 1 || !f.IsExported() {
			err = plainErrorf(torch.ErrMismatch, where, "the file has a field %s, but %v has no such field",
				describe(key), to.Type())
			return false
		}
		err = decode(value, to.FieldByIndex(f.Index), where+"."+name)
		return err == nil
	})
	return err
}

// describe returns a short description of a value from a file, for errors.
func describe(v any) string {
	switch v := v.(type) {
	case *torch.Tensor:
		return "a tensor"
	case *serialization.Dict:
		return "a dict"
	case []any, serialization.Tuple:
		return "a list"
	case []byte:
		return "bytes"
	default:
		s := serialization.Repr(v)
		if len(s) > 60 {
			s = s[:60] + "…"
		}
		return s
	}
}

// goValue returns the Go value for a value from a file that is loaded into an any.
func goValue(v any) any {
	switch v := v.(type) {
	case []any:
		return goValues(v)
	case serialization.Tuple:
		return goValues(v)
	case *serialization.Dict:
		texts, whole := true, true
		// does not visit the values, so that goValue visits each nested value only once
		for _, key := range v.Keys() {
			_, isText := key.(string)
			_, isWhole := key.(int64)
			texts, whole = texts && isText, whole && isWhole
		}
		switch {
		case texts:
			m := make(map[string]any, v.Len())
			for key, value := range v.All() {
				m[key.(string)] = goValue(value)
			}
			return m
		case whole:
			m := make(map[int64]any, v.Len())
			for key, value := range v.All() {
				m[key.(int64)] = goValue(value)
			}
			return m
		}
	}
	return v
}

func goValues(items []any) []any {
	out := make([]any, len(items))
	for i, v := range items {
		out[i] = goValue(v)
	}
	return out
}
