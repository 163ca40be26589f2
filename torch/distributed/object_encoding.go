package distributed

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/gotorch/gotorch/torch"
)

// mostObject is the largest size of an encoded value. It limits the memory that a rank allocates
// when another rank announces a size.
const mostObject = 4 << 30

// An ObjectOption configures how values are encoded: [Encoding].
//
//gotorch:options Encoding
type ObjectOption interface{ objectOption() }

// Encoding is the encoding of Go values. Python ranks use pickle, so they cannot take
// part in these functions.
type Encoding string

// Values of [Encoding]. The default is EncodingGob.
const (
	EncodingGob  Encoding = "gob"
	EncodingJSON Encoding = "json"
)

func readEncoding(op string, opts []ObjectOption) (Encoding, error) {
	e := EncodingGob
	for _, o := range opts {
		switch o := o.(type) {
		case Encoding:
			e = o
		default:
			return e, torch.BadOption(op, o)
		}
	}
	if e != EncodingGob && e != EncodingJSON {
		return e, argumentError(op, torch.ErrValue, "Encoding",
			"expected distributed.EncodingGob or distributed.EncodingJSON, got %.80q", string(e))
	}
	return e, nil
}

func (e Encoding) encode(op, arg string, v any) ([]byte, error) {
	var b bytes.Buffer
	var err error
	if e == EncodingJSON {
		err = json.NewEncoder(&b).Encode(v)
	} else {
		err = gobEncode(&b, v)
	}
	if err != nil {
		return nil, argumentError(op, torch.ErrValue, arg, "%v", err)
	}
	if b.Len() > mostObject {
		return nil, argumentError(op, torch.ErrValue, arg,
			"has %d bytes in %s, expected at most %d; send tensors instead", b.Len(), string(e), int64(mostObject))
	}
	return b.Bytes(), nil
}

// gobEncode encodes v. It converts gob's panics, such as those caused by nil pointers or
// by the value's own methods, to errors, which can be reported to the other ranks.
func gobEncode(b *bytes.Buffer, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return gob.NewEncoder(b).Encode(v)
}

// decode decodes a value into the variable that into points to. It replaces what the variable
// held, but keeps fields that the encoding does not send. The decoders alone would also keep fields
// whose value is zero or missing, entries of maps, and fields of the elements of slices.
func (e Encoding) decode(op, arg string, b []byte, into any) error {
	to := reflect.ValueOf(into).Elem()
	if e.isDecodedByItself(to.Type()) {
		return e.decodeNew(op, arg, b, into)
	}
	made := reflect.New(to.Type())
	if err := e.decodeNew(op, arg, b, made.Interface()); err != nil {
		return err
	}
	e.replace(to, made.Elem())
	return nil
}

// replace sets to to the decoded value from. If they are structs, it sets only the fields that the
// encoding sends.
func (e Encoding) replace(to, from reflect.Value) {
	if to.Kind() != reflect.Struct || e.isDecodedByItself(to.Type()) {
		to.Set(from)
		return
	}
	for i := range to.NumField() {
		field := to.Type().Field(i)
		switch {
		case field.Anonymous && field.Type.Kind() == reflect.Struct && !field.IsExported():
			e.replace(to.Field(i), from.Field(i)) // its exported fields are sent
		case field.IsExported() && e.isSent(field):
			e.replace(to.Field(i), from.Field(i))
		}
	}
}

// isSent reports whether the encoding sends an exported field.
func (e Encoding) isSent(field reflect.StructField) bool {
	switch field.Type.Kind() {
	case reflect.Func, reflect.Chan:
		return false
	}
	return e != EncodingJSON || field.Tag.Get("json") != "-"
}

// isDecodedByItself reports whether values of a type have methods that decode them.
func (e Encoding) isDecodedByItself(t reflect.Type) bool {
	own := []reflect.Type{reflect.TypeFor[gob.GobDecoder](), reflect.TypeFor[encoding.BinaryUnmarshaler]()}
	if e == EncodingJSON {
		own = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
	}
	return slices.ContainsFunc(own, reflect.PointerTo(t).Implements)
}

func (e Encoding) decodeNew(op, arg string, b []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil { // gob calls methods of the value, which may panic
			err = fmt.Errorf("panic: %v", p)
		}
		if err != nil { // the text may contain names that the sender chose
			err = argumentError(op, torch.ErrType, arg, "the value cannot be decoded: %s", printable(err.Error()))
		}
	}()
	if e == EncodingJSON {
		return json.Unmarshal(b, into)
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(into)
}

// checkTarget returns an error unless into is a non-nil pointer to a value of the given
// kind (0 for any).
func checkTarget(op, arg string, into any, kind reflect.Kind) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || kind != 0 && v.Elem().Kind() != kind {
		want := "a pointer"
		if kind == reflect.Slice {
			want = "a pointer to a slice"
		}
		return argumentError(op, torch.ErrType, arg, "expected %s, got %T", want, into)
	}
	return nil
}

// decodeAll decodes all values and stores them in the slice that into points to.
func (e Encoding) decodeAll(op, arg string, all [][]byte, into any) error {
	slice := reflect.ValueOf(into).Elem()
	values := reflect.MakeSlice(slice.Type(), len(all), len(all))
	for i, b := range all {
		err := e.decodeNew(op, fmt.Sprintf("%s[%d]", arg, i), b, values.Index(i).Addr().Interface())
		if err != nil {
			return err
		}
	}
	slice.Set(values)
	return nil
}

// encodeEach encodes each of the n elements of a slice.
func (e Encoding) encodeEach(op string, values any, n int) ([][]byte, error) {
	v := reflect.ValueOf(values)
	if v.Kind() != reflect.Slice || v.Len() != n {
		return nil, argumentError(op, torch.ErrValue, "values", "expected a slice with %d elements, got %T", n, values)
	}
	rows := make([][]byte, n)
	for i := range rows {
		var err error
		if rows[i], err = e.encode(op, fmt.Sprintf("values[%d]", i), v.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
