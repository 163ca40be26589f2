package serialization

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/numpy"
)

// This file reads NumPy scalars and arrays, which checkpoints contain in addition to
// tensors, such as a loss or the state of a random number generator.

// array is a NumPy array or scalar.
type array struct {
	at      int64
	dtype   *arrayType
	shape   []int64
	fortran bool
	number  bool
	data    string // the elements as bytes
	other   any    // a list of Python objects, if the array holds Python objects instead of data
}

// arrayType is a dtype, such as "f8". It is big-endian if order is ">".
type arrayType struct{ code, order string }

// newArrayType implements numpy.dtype, which is called with a dtype code and two flags.
func newArrayType(_ *reading, u *pickle.Reader, args []any) any {
	code, ok := "", len(args) > 0 && len(args) < 4
	if ok {
		code, ok = args[0].(string)
	}
	if !ok {
		u.Fail("the argument of numpy.dtype is not a dtype code")
	}
	return &arrayType{code: code, order: "|"}
}

// build sets the state of a dtype: a version, the byte order, and the fields of
// structured dtypes.
func (t *arrayType) build(u *pickle.Reader, state any) {
	items := itemsOf(state)
	order, ok := "", len(items) > 1
	if ok {
		order, ok = items[1].(string)
	}
	if !ok || len(order) != 1 || !strings.ContainsAny(order, "<>|=") {
		u.Fail("numpy.dtype: the state has no byte order")
	}
	t.order = order
}

func (l *reading) newArray(u *pickle.Reader) *array {
	u.Spend("an array", costOfTensor)
	return &array{at: u.At()}
}

// newNumber implements numpy.core.multiarray.scalar, which is called with a dtype, and
// with bytes or an object.
func newNumber(l *reading, u *pickle.Reader, args []any) any {
	const what = "numpy.core.multiarray.scalar"
	if len(args) != 2 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	u.Spend(what, 4)
	a := &array{at: u.At(), number: true, dtype: argument[*arrayType](u, what, args, 0)}
	a.fill(u, what, args[1])
	return a
}

// newArray implements _reconstruct, which is called with a class, a shape and a dtype code.
// The array's state, which follows in the file, replaces these.
func newArray(l *reading, u *pickle.Reader, args []any) any {
	const what = "numpy.core.multiarray._reconstruct"
	if len(args) != 3 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	if f, ok := args[0].(*foreign); ok { // a subclass
		return l.callForeign(u, f, args, nil)
	}
	return l.newArray(u)
}

// build sets the state of an array: a version, its shape, its dtype, whether it is in
// Fortran order, and its bytes.
func (a *array) build(u *pickle.Reader, state any) {
	const what = "numpy.ndarray.__setstate__"
	items := itemsOf(state)
	if len(items) == 4 {
		items = append([]any{int64(0)}, items...) // old files have no version, so insert version 0
	}
	if len(items) != 5 || a.dtype != nil {
		u.Fail("%s: an invalid state of an array", what)
	}
	a.shape = ints(u, what, items[1])
	a.dtype = argument[*arrayType](u, what, items, 2)
	a.fortran = u.Int(what, items[3]) != 0
	a.fill(u, what, items[4])
}

// arrayOfBuffer implements _frombuffer of pickle protocol 5, which is called with bytes,
// a dtype, a shape and an order.
func arrayOfBuffer(l *reading, u *pickle.Reader, args []any) any {
	const what = "numpy.core.numeric._frombuffer"
	if len(args) != 4 {
		u.Fail("%s of %d arguments", what, len(args))
	}
	a := l.newArray(u)
	a.dtype = argument[*arrayType](u, what, args, 1)
	a.shape = ints(u, what, args[2])
	a.fortran = argument[string](u, what, args, 3) == "F"
	a.fill(u, what, args[0])
	return a
}

// fill sets the elements of an array. A file may use the same bytes for many arrays, so
// each use counts towards the memory limit.
func (a *array) fill(u *pickle.Reader, what string, data any) {
	switch d := data.(type) {
	case pickle.Bytes:
		a.data = string(d)
	case *pickle.ByteArray:
		a.data = string(d.Bytes)
	case string: // Python 2 wrote bytes as a string if they were ASCII
		a.data = d
	default:
		a.other = data
		return
	}
	u.Spend(what, len(a.data)/2)
}

// array converts a NumPy array to a tensor, and a NumPy scalar to a Go number or string.
func (b *building) array(a *array) (any, error) {
	switch {
	case a.number && a.other == nil && strings.HasPrefix(a.dtype.code, "U"):
		return b.text(a)
	case a.number && a.other == nil && strings.HasPrefix(a.dtype.code, "S"):
		return []byte(a.data), nil
	}
	t, err := b.numbers(a)
	if err != nil || !a.number {
		return t, err
	}
	defer func() { _ = t.Close() }()
	switch d := t.DType(); {
	case d == torch.Bool:
		return t.Bools()[0], nil
	case d == torch.Uint64:
		n := new(big.Int).SetBytes(bigEndian(mapped.Memory(t)))
		if n.IsInt64() {
			return n.Int64(), nil
		}
		return n, nil
	case d.IsComplex():
		wide := t.To(torch.Complex128)
		defer func() { _ = wide.Close() }()
		return wide.Complex128s()[0], nil
	case d.IsFloatingPoint():
		return t.Item(), nil
	default:
		wide := t.To(torch.Int64)
		defer func() { _ = wide.Close() }()
		return wide.Int64s()[0], nil
	}
}

func bigEndian(b []byte) []byte {
	return binary.BigEndian.AppendUint64(nil, binary.LittleEndian.Uint64(b))
}

// numbers converts an array to a CPU tensor. It builds a .npy file in memory and reads that.
func (b *building) numbers(a *array) (*torch.Tensor, error) {
	if a.dtype == nil {
		return nil, b.fail(torch.ErrFormat, a.at, "a NumPy array without elements")
	}
	if a.other != nil {
		return nil, b.fail(torch.ErrUnsupported, a.at, "the NumPy array holds Python objects")
	}
	var shape strings.Builder
	for _, n := range a.shape {
		fmt.Fprintf(&shape, "%d,", n)
	}
	order := "False"
	if a.fortran {
		order = "True"
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", a.dtype.order+a.dtype.code, order,
		shape.String())
	const longest = 9000 // slightly less than NumPy's limit on the length of a header
	if len(header) > longest || strings.ContainsAny(a.dtype.code, "'\\") {
		return nil, b.fail(torch.ErrFormat, a.at, "the NumPy array has the invalid dtype %.40q or %d dimensions",
			a.dtype.code, len(a.shape))
	}
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	file = append(append(file, header...), a.data...)
	r := bytes.NewReader(file)
	t, err := numpy.LoadFrom(r)
	if err == nil && r.Len() > 0 {
		_ = t.Close()
		return nil, b.fail(torch.ErrFormat, a.at, "the NumPy array has %d extra bytes", r.Len())
	}
	if err != nil {
		return nil, b.arrayError(a, err)
	}
	return b.keep(t), nil
}

// arrayError returns an error that says why an array is invalid or cannot become a tensor.
func (b *building) arrayError(a *array, err error) error {
	var fe *torch.FileError
	if !errors.As(err, &fe) {
		return err
	}
	kind := fe.Kind
	if errors.Is(kind, torch.ErrTruncated) {
		kind = torch.ErrFormat
	}
	e := b.fail(kind, a.at, "a NumPy array: %s", fe.Detail)
	e.Err = fe.Err
	return e
}

// text converts a NumPy string scalar: four bytes per character, padded with zeros.
func (b *building) text(a *array) (any, error) {
	if len(a.data)%4 != 0 {
		return nil, b.fail(torch.ErrFormat, a.at, "the NumPy string has %d bytes, expected a multiple of 4",
			len(a.data))
	}
	var order binary.ByteOrder = binary.LittleEndian
	if a.dtype.order == ">" {
		order = binary.BigEndian
	}
	var s strings.Builder
	for at := 0; at < len(a.data); at += 4 {
		c := order.Uint32([]byte(a.data[at : at+4]))
		if c > unicode.MaxRune || !utf8.ValidRune(rune(c)) {
			return nil, b.fail(torch.ErrFormat, a.at, "the NumPy string has the invalid character %#x", c)
		}
		s.WriteRune(rune(c))
	}
	return strings.TrimRight(s.String(), "\x00"), nil
}
