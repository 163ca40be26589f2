package torch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/plain"
)

// MarshalJSON writes at most mostJSON elements, and LogValue at most mostLogged. UnmarshalJSON and
// GobDecode accept at most mostRead dimensions, because printing a tensor with more could take
// unlimited memory.
const (
	mostRead   = 64
	mostJSON   = 1 << 16
	mostLogged = 16
)

// MarshalJSON encodes the elements as nested lists of numbers, one level per
// dimension. A tensor without dimensions is a plain number. Floating-point
// numbers have a point or an exponent, and enough digits to be read back
// exactly. NaN and infinities are the strings "NaN", "Infinity" and
// "-Infinity", and complex numbers are strings such as "(1+2i)". Dtype and
// device are not written.
//
// It returns an *[Error] of kind ErrNil for a nil tensor, ErrClosed for a
// closed one, ErrDType for a quantized one, or ErrValue for one that is not
// strided, is nested, is on the meta device, or has more than 65536 elements.
// Write large tensors to files (torch/safetensors), or in parts with
// [Tensor.ToList].
func (t *Tensor) MarshalJSON() (text []byte, err error) {
	const op = "MarshalJSON(self)"
	err = Try(func() {
		switch _ = t.handle(op, 0); {
		case t.IsNested() || t.Layout() != Strided:
			panic(argError(op, ErrValue, "self", "expected a dense tensor: x.ToDense() makes one"))
		case t.IsMeta():
			panic(argError(op, ErrValue, "self", "a tensor on meta has no elements"))
		case t.IsQuantized():
			panic(argError(op, ErrDType, "self", "the tensor is quantized: call Dequantize first"))
		case t.Numel() > mostJSON:
			panic(argError(op, ErrValue, "self", fmt.Sprintf(
				"the tensor has %d elements, and JSON is written for up to %d: save "+
					"larger tensors with torch/safetensors", t.Numel(), mostJSON)))
		}
		bits := 64
		if d := t.DType(); d.Size() < 8 && d.IsFloatingPoint() || d == Complex64 || d == Complex32 {
			bits = 32
		}
		text = appendJSON(nil, t.ToList(), bits)
	})
	return text, err
}

// appendJSON appends v, a result of ToList, to b as JSON. bits is the size of floating-point
// numbers, 32 or 64.
func appendJSON(b []byte, v any, bits int) []byte {
	switch v := v.(type) {
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, e, bits)
		}
		return append(b, ']')
	case float64:
		switch {
		case math.IsNaN(v):
			return append(b, `"NaN"`...)
		case math.IsInf(v, 1):
			return append(b, `"Infinity"`...)
		case math.IsInf(v, -1):
			return append(b, `"-Infinity"`...)
		}
		number := strconv.AppendFloat(nil, v, 'g', -1, bits)
		if !bytes.ContainsAny(number, ".e") {
			number = append(number, ".0"...)
		}
		return append(b, number...)
	case complex128:
		return strconv.AppendQuote(b, strconv.FormatComplex(v, 'g', -1, 2*bits))
	case bool:
		return strconv.AppendBool(b, v)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	}
	return strconv.AppendInt(b, v.(int64), 10)
}

// UnmarshalJSON decodes nested lists as MarshalJSON writes them into t, which must be a
// new Tensor. Like torch.tensor in Python, it makes Int64 from integers (Uint64 if they
// exceed Int64), Bool from bools, and the default float or complex type from other
// numbers. The tensor is on the CPU. It returns an *[Error] of kind ErrNil for a nil t,
// ErrShape for lists of different lengths, or ErrValue for a t that is closed or in use
// or for other text. After an error t is unchanged, so using a t that is still new panics
// with ErrClosed.
func (t *Tensor) UnmarshalJSON(text []byte) error {
	const op = "UnmarshalJSON(self, text)"
	return Try(func() {
		if t == nil {
			panic(t.unusable(op, 0))
		}
		if t.h != 0 || !t.uses.Open() {
			panic(argError(op, ErrValue, "self", "expected a new Tensor, got one that is or was in use"))
		}
		r := jsonReader{dec: json.NewDecoder(bytes.NewReader(text))}
		r.dec.UseNumber()
		r.read(0)
		if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
			panic(r.wrong(ErrValue, "expected one value, got more"))
		}
		made := Tidy(r.tensor)
		defer made.Close()
		from := made.handle(op, 0)
		raw := BeginRaw(op, made)
		raw.tensorInto(t, aten.Alias(raw.Ctx|abi.CtxNoGrad, from))
	})
}

// jsonReader reads nested lists.
type jsonReader struct {
	dec      *json.Decoder
	shape    Shape
	leaf     int   // the nesting depth of the elements; valid once one has been read
	elements []any // bool, int64, uint64 for larger integers, float64 or complex128
}

func (r *jsonReader) wrong(kind error, format string, args ...any) *Error {
	return argError("UnmarshalJSON", kind, "text", fmt.Sprintf(format, args...))
}

func (r *jsonReader) token() json.Token {
	token, err := r.dec.Token()
	if err != nil {
		panic(r.wrong(ErrValue, "%v", err))
	}
	return token
}

// read reads a list or an element at a depth.
func (r *jsonReader) read(depth int) {
	token := r.token()
	list := token == json.Delim('[')
	switch {
	case depth > mostRead:
		panic(r.wrong(ErrShape, "expected at most %d dimensions, got more", mostRead))
	case len(r.elements) > 0 && (list && depth >= r.leaf || !list && depth != r.leaf), !list && depth != len(r.shape):
		panic(r.wrong(ErrShape, "found a list and an element at the same depth"))
	case !list:
		r.leaf = depth
		r.elements = append(r.elements, r.element(token))
		return
	}
	if depth == len(r.shape) {
		r.shape = append(r.shape, -1)
	}
	var n int64
	for ; r.dec.More(); n++ {
		r.read(depth + 1)
	}
	r.token()
	if known := r.shape[depth]; known >= 0 && known != n {
		panic(r.wrong(ErrShape, "expected lists of length %d in dimension %d, got length %d", known, depth, n))
	}
	r.shape[depth] = n
}

func (r *jsonReader) element(token json.Token) any {
	switch v := token.(type) {
	case bool:
		return v
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if u, err := strconv.ParseUint(v.String(), 10, 64); err == nil {
			return u
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	case string:
		switch v {
		case "NaN", "Infinity", "-Infinity":
			f, _ := strconv.ParseFloat(v, 64)
			return f
		}
		if c, err := strconv.ParseComplex(v, 128); err == nil && strings.HasSuffix(v, "i)") {
			return c
		}
	}
	panic(r.wrong(ErrValue, "expected numbers or bools, got %s", plain.Short(fmt.Sprint(token))))
}

// tensor returns the tensor that was read.
func (r *jsonReader) tensor() *Tensor {
	var bools, whole, large, negative, complexes int
	for _, e := range r.elements {
		switch e := e.(type) {
		case bool:
			bools++
		case int64:
			whole++
			if e < 0 {
				negative++
			}
		case uint64:
			large++
		case complex128:
			complexes++
		}
	}
	switch n := len(r.elements); {
	case bools > 0 && bools < n, large > 0 && negative > 0 && whole+large == n:
		panic(r.wrong(ErrValue, "no dtype can hold all of the elements"))
	case bools > 0:
		return FromSlice(elementsAs(r.elements, func(e any) bool { return e.(bool) })).Reshape(r.shape...)
	case n > 0 && whole == n:
		return FromSlice(elementsAs(r.elements, func(e any) int64 { return e.(int64) })).Reshape(r.shape...)
	case n > 0 && whole+large == n:
		return FromSlice(elementsAs(r.elements, func(e any) uint64 {
			if i, ok := e.(int64); ok {
				return uint64(i) //nolint:gosec // not negative
			}
			return e.(uint64)
		})).Reshape(r.shape...)
	case complexes > 0:
		d := Complex64
		if DefaultDType() == Float64 {
			d = Complex128
		}
		return FromSliceWith(elementsAs(r.elements, asComplex), nil, d).Reshape(r.shape...)
	}
	return FromSliceWith(elementsAs(r.elements, func(e any) float64 { return real(asComplex(e)) }), nil,
		DefaultDType()).Reshape(r.shape...)
}

func asComplex(e any) complex128 {
	switch e := e.(type) {
	case int64:
		return complex(float64(e), 0)
	case uint64:
		return complex(float64(e), 0)
	case float64:
		return complex(e, 0)
	}
	return e.(complex128)
}

func elementsAs[T any](elements []any, as func(any) T) []T {
	list := make([]T, len(elements))
	for i, e := range elements {
		list[i] = as(e)
	}
	return list
}

// LogValue returns a summary of the tensor for package log/slog: its shape and dtype, its
// device unless that is the CPU, and its elements if it is a CPU tensor with at most 16
// elements. It never waits for a device. It accepts nil and closed tensors, and returns
// neither ErrNil nor ErrClosed for them.
func (t *Tensor) LogValue() slog.Value {
	if t.IsClosed() {
		if t == nil {
			return slog.StringValue("<nil>")
		}
		return slog.StringValue("closed")
	}
	var v slog.Value
	if err := Try(func() { v = t.logValue() }); err != nil { // another goroutine closed t
		return slog.StringValue(err.Error())
	}
	return v
}

// jsonText is JSON that text logs print unquoted.
type jsonText string

// MarshalJSON returns the text.
func (j jsonText) MarshalJSON() ([]byte, error) { return []byte(j), nil }

func (t *Tensor) logValue() slog.Value {
	attrs := []slog.Attr{slog.String("dtype", t.DType().String())}
	if !t.IsNested() {
		attrs = append([]slog.Attr{slog.Any("shape", t.Shape())}, attrs...)
	}
	if d := t.Device(); !d.IsCPU() {
		attrs = append(attrs, slog.String("device", d.String()))
	} else if !t.IsNested() && t.Numel() <= mostLogged {
		if text, err := t.MarshalJSON(); err == nil {
			attrs = append(attrs, slog.Any("values", jsonText(text)))
		}
	}
	return slog.GroupValue(attrs...)
}
