// Package npy reads the header of a NumPy file (.npy): dtype, shape and order, in
// versions 1 to 3 of the format. It recognizes all dtypes that have a name in NumPy,
// including those that tensors cannot have.
package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The errors of [Parse] wrap one of these; use errors.Is.
var (
	ErrFormat    = errors.New("not a NumPy file")
	ErrTruncated = errors.New("unexpected end of file")
)

// maxHeader is the maximum length of a header, which is NumPy's limit for untrusted
// files.
const maxHeader = 10000

// maxDims is the largest number of dimensions of a NumPy array.
const maxDims = 64

// Kind is the kind of an array's elements, named by NumPy's letter.
type Kind byte

// The kinds.
const (
	Bool       Kind = 'b' // one byte; NumPy also writes '?'
	Int        Kind = 'i'
	Uint       Kind = 'u'
	Float      Kind = 'f'
	Complex    Kind = 'c'
	TimeDelta  Kind = 'm' // an int64 in the unit that Descr names
	DateTime   Kind = 'M'
	Bytes      Kind = 'S' // texts of Size bytes
	Unicode    Kind = 'U' // texts of Size bytes, 4 per character
	Void       Kind = 'V' // Size bytes of arbitrary data
	Object     Kind = 'O' // a pickle of Python objects
	Structured Kind = 'r' // rows of several named dtypes; see Descr
)

// Header describes the array of a file.
type Header struct {
	Kind      Kind
	Size      int64   // bytes per element; 0 for Object and Structured
	BigEndian bool    // each number begins with its most significant byte
	Fortran   bool    // column-major order: neighbors in the first dimension are neighbors in the file
	Shape     []int64 // empty for a single number
	Descr     string  // the dtype as written in the file
	Length    int     // bytes of the header; the elements follow
}

// Parse parses the header at the start of b. Its errors wrap [ErrFormat] or, if b ends
// within the header, [ErrTruncated]. It allocates no more than len(b) bytes.
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
		return Header{}, fmt.Errorf("%w: format version %d is not supported, expected 1 to 3", ErrFormat, version)
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
		return Header{}, fmt.Errorf("%w: the header has %d bytes, more than %d", ErrFormat, n, maxHeader)
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
