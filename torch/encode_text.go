package torch

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/errkind"
)

// The types below encode as PyTorch's names: in JSON, as keys of JSON's objects, in logs, and as
// flags (flag.TextVar).

// MarshalText returns the name, "float32", and "default" for the zero DType. It returns an
// *[Error] of kind ErrValue for a number that is no dtype.
func (d DType) MarshalText() ([]byte, error) {
	return nameText("DType", d.String(), d == 0 || d.info().size > 0)
}

// UnmarshalText reads a name as [DType.MarshalText] writes it, with or without "torch.". It
// returns an *[Error]: ErrValue for another text, and ErrNil for a nil d.
func (d *DType) UnmarshalText(text []byte) error {
	return read("DType", d, text, len(dtypes))
}

// MarshalText returns the name, "cuda:1", and "default" for the zero Device. It returns an
// *[Error] of kind ErrValue for a number that is no device.
func (d Device) MarshalText() ([]byte, error) { return nameText("Device", d.String(), d.valid()) }

// UnmarshalText reads a name as [ParseDevice] does, and "default". It returns an *[Error]:
// ErrValue for another text, and ErrNil for a nil d.
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

// MarshalText returns the name, "sparse_coo", and "default" for the zero Layout. It returns an
// *[Error] of kind ErrValue for a number that is no layout.
func (l Layout) MarshalText() ([]byte, error) {
	return nameText("Layout", l.String(), !strings.Contains(l.String(), "("))
}

// UnmarshalText reads a name as [Layout.MarshalText] writes it, with or without "torch.". It
// returns an *[Error]: ErrValue for another text, and ErrNil for a nil l.
func (l *Layout) UnmarshalText(text []byte) error { return read("Layout", l, text, layouts) }

// MarshalText returns the name, "channels_last", and "default" for the zero MemoryFormat. It
// returns an *[Error] of kind ErrValue for a number that is no memory format.
func (m MemoryFormat) MarshalText() ([]byte, error) {
	return nameText("MemoryFormat", m.String(), !strings.Contains(m.String(), "("))
}

// UnmarshalText reads a name as [MemoryFormat.MarshalText] writes it, with or without "torch.".
// It returns an *[Error]: ErrValue for another text, and ErrNil for a nil m.
func (m *MemoryFormat) UnmarshalText(text []byte) error {
	return read("MemoryFormat", m, text, memoryFormats)
}

func nameText(typ, name string, ok bool) ([]byte, error) {
	if !ok {
		return nil, &Error{Op: typ + ".MarshalText", Kind: ErrValue, Message: name + " has no name"}
	}
	return []byte(name), nil
}

// read sets to to the one of its first n values that has the name.
func read[T interface {
	~int8
	fmt.Stringer
}](typ string, to *T, text []byte, n int) error {
	if to == nil {
		return argError(typ+".UnmarshalText", ErrNil, "receiver", "a nil *"+typ)
	}
	name := strings.TrimPrefix(string(text), "torch.")
	if strings.Contains(name, "(") {
		n = 0 // what String says of a number without a name
	}
	for i := range n {
		if v := T(i); v.String() == name { //nolint:gosec // n is small
			*to = v
			return nil
		}
	}
	return argError(typ+".UnmarshalText", ErrValue, "text", fmt.Sprintf("%q is none of PyTorch's names", text))
}

// UnmarshalJSON reads what package json writes of an *Error, with Kind as one of the Err
// variables: what errors.Is compares. It returns an *Error of kind ErrNil for a nil e, and
// package json's error for another text. Kinds that are not of this package become ErrRuntime.
func (e *Error) UnmarshalJSON(text []byte) error {
	if e == nil {
		return argError("Error.UnmarshalJSON", ErrNil, "receiver", "a nil *Error")
	}
	type plain Error
	read := struct {
		*plain
		Kind string
	}{plain: new(plain)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*e = Error(*read.plain)
	e.Kind = ErrRuntime
	if k := errkind.Find(read.Kind, errorKinds...); k != nil {
		e.Kind = k
	}
	return nil
}
