// Package npy reads what is in front of the numbers of a NumPy file, .npy: their dtype,
// shape and order, in versions 1 to 3 of the format. It knows all dtypes that NumPy gives a
// name to, whether a tensor can hold them or not.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// The errors, for errors.Is.
var (
	ErrFormat    = errors.New("npy: not a NumPy file")
	ErrTruncated = errors.New("npy: file ends too early")
)

// maxHeader is how long a header may be, NumPy's own limit for files that are not trusted.
const maxHeader = 10000

// maxDims is how many dimensions an array of NumPy's may have.
const maxDims = 64

// Kind is the kind of an array's elements, under NumPy's letters.
type Kind byte

// The kinds.
const (
	Bool       Kind = 'b' // of one byte; NumPy also writes '?'
	Int        Kind = 'i'
	Uint       Kind = 'u'
	Float      Kind = 'f'
	Complex    Kind = 'c'
	TimeDelta  Kind = 'm' // an int64 in the unit of Descr
	DateTime   Kind = 'M'
	Bytes      Kind = 'S' // texts of Size bytes
	Unicode    Kind = 'U' // texts of Size bytes, 4 a character
	Void       Kind = 'V' // Size bytes of anything
	Object     Kind = 'O' // a pickle of Python objects
	Structured Kind = 'r' // rows of several named dtypes, in Descr
)

// Header is what a file says of its numbers.
type Header struct {
	Kind      Kind
	Size      int64   // bytes an element; 0 for Object and Structured
	BigEndian bool    // the numbers begin with their highest byte
	Fortran   bool    // the first dimension is the innermost
	Shape     []int64 // empty for a number alone
	Descr     string  // the dtype as the file has it
	Length    int     // bytes of the header, behind which the numbers begin
}

// Elements returns how many there are, and whether an int64 holds the bytes of them all.
func (h Header) Elements() (n int64, ok bool) {
	n = 1
	for _, d := range h.Shape {
		if d == 0 {
			return 0, true
		}
	}
	for _, d := range h.Shape {
		if n > math.MaxInt64/d {
			return 0, false
		}
		n *= d
	}
	return n, h.Size == 0 || n <= math.MaxInt64/h.Size
}

// Parse reads the header at the beginning of b. It returns an error around [ErrFormat] or,
// where b ends in the header, [ErrTruncated]. It takes no more memory than b has.
func Parse(b []byte) (Header, error) {
	const magic = "\x93NUMPY"
	switch {
	case string(b[:min(len(b), len(magic))]) != magic[:min(len(b), len(magic))]:
		return Header{}, fmt.Errorf("%w: the first bytes are not %q", ErrFormat, magic)
	case len(b) < len(magic)+2:
		return Header{}, ErrTruncated
	}
	width := 2
	switch version := b[len(magic)]; {
	case version == 2 || version == 3:
		width = 4
	case version != 1:
		return Header{}, fmt.Errorf("%w: version %d of the format", ErrFormat, version)
	}
	start := len(magic) + 2 + width
	if len(b) < start {
		return Header{}, ErrTruncated
	}
	n := int64(binary.LittleEndian.Uint16(b[start-width:]))
	if width == 4 {
		n = int64(binary.LittleEndian.Uint32(b[start-width:]))
	}
	if n > maxHeader {
		return Header{}, fmt.Errorf("%w: a header of %d bytes, more than %d", ErrFormat, n, maxHeader)
	}
	if int64(len(b)-start) < n {
		return Header{}, ErrTruncated
	}
	h, err := parse(string(b[start : start+int(n)]))
	if err != nil {
		return Header{}, fmt.Errorf("%w: header %.200q: %w", ErrFormat, b[start:start+int(n)], err)
	}
	h.Length = start + int(n)
	return h, nil
}

// Data returns the bytes of the numbers that follow the header in b, without a copy. What
// is behind them is left out.
func (h Header) Data(b []byte) ([]byte, error) {
	n, ok := h.Elements()
	if h.Size < 1 && n > 0 {
		return nil, fmt.Errorf("%w: elements of dtype %s have no size", ErrFormat, h.Descr)
	}
	if !ok || h.Length > len(b) || n > int64(len(b)-h.Length)/max(h.Size, 1) {
		return nil, fmt.Errorf("%w: %v elements of %d bytes, and %d bytes", ErrTruncated, h.Shape, h.Size, max(len(b)-h.Length, 0))
	}
	return b[h.Length : h.Length+int(n*h.Size)], nil
}
