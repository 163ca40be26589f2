package torch

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/errkind"
	"github.com/gotorch/gotorch/internal/plain"
)

// The types below encode as PyTorch's names: in JSON, as keys of JSON objects,
// in logs, and as flags (flag.TextVar).

// MarshalText returns the name, such as "float32", or "default" for the zero
// DType. It returns an *[Error] of kind ErrValue for an invalid DType.
func (d DType) MarshalText() ([]byte, error) {
	return nameText("DType", d.String(), d == 0 || d.info().size > 0)
}

// UnmarshalText parses a name as [DType.MarshalText] writes it, with or without
// "torch.". It returns an *[Error] of kind ErrValue for an unknown name, or
// ErrNil for a nil d.
func (d *DType) UnmarshalText(text []byte) error {
	return read("DType", d, text, len(dtypes))
}

// MarshalText returns the name, such as "cuda:1", or "default" for the zero
// Device. It returns an *[Error] of kind ErrValue for an invalid Device.
func (d Device) MarshalText() ([]byte, error) { return nameText("Device", d.String(), d.valid()) }

// UnmarshalText parses a name as [ParseDevice] does, or "default". It returns
// an *[Error] of kind ErrValue for an unknown name, or ErrNil for a nil d.
func (d *Device) UnmarshalText(text []byte) error {
	if d == nil {
		return argError("Device.UnmarshalText", ErrNil, "d", "a nil *Device")
	}
	if string(text) == Device(0).String() {
		*d = 0
		return nil
	}
	dev, err := ParseDevice(string(text))
	if err == nil {
		*d = dev
	}
	return err
}

// MarshalText returns the name, such as "sparse_coo", or "default" for the zero
// Layout. It returns an *[Error] of kind ErrValue for an invalid Layout.
func (l Layout) MarshalText() ([]byte, error) {
	return nameText("Layout", l.String(), !strings.Contains(l.String(), "("))
}

// UnmarshalText parses a name as [Layout.MarshalText] writes it, with or
// without "torch.". It returns an *[Error] of kind ErrValue for an unknown
// name, or ErrNil for a nil l.
func (l *Layout) UnmarshalText(text []byte) error { return read("Layout", l, text, layouts) }

// MarshalText returns the name, such as "channels_last", or "default" for the
// zero MemoryFormat. It returns an *[Error] of kind ErrValue for an invalid
// MemoryFormat.
func (m MemoryFormat) MarshalText() ([]byte, error) {
	return nameText("MemoryFormat", m.String(), !strings.Contains(m.String(), "("))
}

// UnmarshalText parses a name as [MemoryFormat.MarshalText] writes it, with or
// without "torch.". It returns an *[Error] of kind ErrValue for an unknown
// name, or ErrNil for a nil m.
func (m *MemoryFormat) UnmarshalText(text []byte) error {
	return read("MemoryFormat", m, text, memoryFormats)
}

func nameText(typ, name string, ok bool) ([]byte, error) {
	if !ok {
		return nil, &Error{Op: typ + ".MarshalText", Kind: ErrValue, Message: name + " is not a valid value"}
	}
	return []byte(name), nil
}

// read sets *to to the value below n whose name is text.
func read[T interface {
	~int8
	fmt.Stringer
}](typ string, to *T, text []byte, n int) error {
	if to == nil {
		return argError(typ+".UnmarshalText", ErrNil, "receiver", "a nil *"+typ)
	}
	name := strings.TrimPrefix(string(text), "torch.")
	if strings.Contains(name, "(") {
		n = 0 // reject the text that String returns for an invalid value, such as dtype(99)
	}
	for i := range n {
		if v := T(i); v.String() == name { //nolint:gosec // n is small
			*to = v
			return nil
		}
	}
	return argError(typ+".UnmarshalText", ErrValue, "text", "unknown name "+plain.Quote(string(text)))
}

// UnmarshalJSON decodes what package json writes for an *Error. Kind becomes
// one of the Err variables, so that errors.Is works; kinds of other packages
// become ErrRuntime. It returns an *Error of kind ErrNil for a nil e, and
// package json's error for invalid text.
func (e *Error) UnmarshalJSON(text []byte) error {
	if e == nil {
		return argError("Error.UnmarshalJSON", ErrNil, "receiver", "a nil *Error")
	}
	type fields Error
	read := struct {
		*fields
		Kind string
	}{fields: new(fields)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*e = Error(*read.fields)
	e.Kind = ErrRuntime
	if k := errkind.Find(read.Kind, errorKinds...); k != nil {
		e.Kind = k
	}
	return nil
}
