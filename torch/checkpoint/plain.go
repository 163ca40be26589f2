package checkpoint

import (
	"encoding"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// The functions in this file convert plain Go values to values that PyTorch's files can
// hold.

// mostDepth limits the nesting of plain values, so that encoding a value that refers to
// itself ends.
const mostDepth = 100

// plainError is an error about a plain value. The caller adds the name of the part.
type plainError struct {
	kind error
	text string
}

// Error returns the text.
func (e *plainError) Error() string { return e.text }

func plainErrorf(kind error, where, text string, args ...any) error {
	if where != "" {
		where += ": "
	}
	return &plainError{kind, where + fmt.Sprintf(text, args...)}
}

var (
	tensorType      = reflect.TypeFor[*torch.Tensor]()
	bigType         = reflect.TypeFor[*big.Int]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	// fileTypes are the types whose values a file can hold without conversion.
	fileTypes = []reflect.Type{
		tensorType, bigType, reflect.TypeFor[torch.DType](), reflect.TypeFor[torch.Device](),
		reflect.TypeFor[torch.Layout](),
	}
)

// isText reports whether a type is stored as a string, as time.Time is.
func isText(t reflect.Type) bool {
	return t.Implements(textMarshaler) && reflect.PointerTo(t).Implements(textUnmarshaler) &&
		t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface
}

// encode converts a Go value to a value that a file can hold. where names the Go value in
// errors.
func encode(v reflect.Value, where string, depth int) (any, error) {
	if depth > mostDepth {
		return nil, plainErrorf(torch.ErrValue, where,
			"the value is nested more than %d levels deep, or refers to itself", mostDepth)
	}
	if !v.IsValid() {
		return nil, nil
	}
	t := v.Type()
	if slices.Contains(fileTypes, t) {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, nil
		}
		return v.Interface(), nil
	}
	if isText(t) {
		b, err := v.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			return nil, plainErrorf(torch.ErrValue, where, "%v", err)
		}
		return text(string(b), where)
	}
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := v.Uint(); n > math.MaxInt64 {
			return new(big.Int).SetUint64(n), nil
		}
		return int64(v.Uint()), nil //nolint:gosec // it fits
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.Complex64, reflect.Complex128:
		return v.Complex(), nil
	case reflect.String:
		return text(v.String(), where)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil, nil
		}
		return encode(v.Elem(), where, depth+1)
	case reflect.Slice:
		if v.IsNil() {
			return nil, nil
		}
		if t.Elem().Kind() == reflect.Uint8 {
			return slices.Clone(v.Bytes()), nil
		}
		return encodeItems(v, where, depth)
	case reflect.Array:
		items, err := encodeItems(v, where, depth)
		return serialization.Tuple(items), err
	case reflect.Map:
		return encodeMap(v, where, depth)
	case reflect.Struct:
		return encodeStruct(v, where, depth)
	}
	return nil, plainErrorf(torch.ErrType, where, "a %v cannot be stored in a file", t)
}

func encodeStruct(v reflect.Value, where string, depth int) (any, error) {
	d := new(serialization.Dict)
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			return nil, plainErrorf(torch.ErrType, where, "field %s of %v is not exported, so it could not be restored",
				f.Name, t)
		}
		item, err := encode(v.Field(i), where+"."+f.Name, depth+1)
		if err != nil {
			return nil, err
		}
		d.Set(f.Name, item)
	}
	return d, nil
}

func text(s, where string) (any, error) {
	if !utf8.ValidString(s) {
		return nil, plainErrorf(torch.ErrValue, where,
			"the string is not valid UTF-8; use a []byte for arbitrary bytes")
	}
	return s, nil
}

func encodeItems(v reflect.Value, where string, depth int) ([]any, error) {
	items := make([]any, v.Len())
	for i := range items {
		item, err := encode(v.Index(i), where+"["+strconv.Itoa(i)+"]", depth+1)
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	return items, nil
}

func encodeMap(v reflect.Value, where string, depth int) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	keys := v.MapKeys()
	switch kind := v.Type().Key().Kind(); {
	case kind == reflect.String:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	case kind >= reflect.Int && kind <= reflect.Int64:
		slices.SortFunc(keys, func(a, b reflect.Value) int {
			switch {
			case a.Int() < b.Int():
				return -1
			case a.Int() > b.Int():
				return 1
			}
			return 0
		})
	default:
		return nil, plainErrorf(torch.ErrType, where, "expected strings or integers as keys, got keys of type %v",
			v.Type().Key())
	}
	d := new(serialization.Dict)
	for _, k := range keys {
		at := fmt.Sprintf("%s[%.40v]", where, k)
		key, err := encode(k, at, depth+1)
		if err != nil {
			return nil, err
		}
		item, err := encode(v.MapIndex(k), at, depth+1)
		if err != nil {
			return nil, err
		}
		d.Set(key, item)
	}
	return d, nil
}
