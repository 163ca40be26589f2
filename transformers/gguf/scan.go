package gguf

import (
	"bufio"
	"encoding/binary"
	"io"
	"math"

	"github.com/gotorch/gotorch/torch"
)

// These are the numbers of the format for the types of metadata.
const (
	kindUint8 uint32 = iota
	kindInt8
	kindUint16
	kindInt16
	kindUint32
	kindInt32
	kindFloat32
	kindBool
	kindString
	kindArray
	kindUint64
	kindInt64
	kindFloat64
)

// kindBytes are the sizes of the kinds in bytes; for strings and arrays, the smallest ones.
var kindBytes = [...]int64{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8}

const maxNesting = 8 // limit on arrays in arrays, because each level is a recursive call

// scanner reads the header of a file from start to end. The first error stays. The methods
// check that the file has the bytes that they read before they allocate memory.
type scanner struct {
	path     string
	r        *bufio.Reader
	at, size int64
	err      error
}

func newScanner(path string, r io.ReaderAt, size int64) *scanner {
	return &scanner{path: path, size: size, r: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16)}
}

// fail sets the error, unless there is one.
func (s *scanner) fail(kind error, at int64, format string, args ...any) {
	if s.err == nil {
		s.err = fault(s.path, kind, at, format, args...)
	}
}

// has reports whether the file has n more items of at least the given size.
func (s *scanner) has(n uint64, each int64, what string) bool {
	if s.err == nil && n > uint64((s.size-s.at)/each) { //nolint:gosec // at is never beyond size
		s.fail(torch.ErrTruncated, s.at, "%s: expected %d of at least %d bytes, but the file has %d bytes more", what,
			n, each, s.size-s.at)
	}
	return s.err == nil
}

// fill reads len(b) bytes.
func (s *scanner) fill(b []byte, what string) {
	if !s.has(uint64(len(b)), 1, what) {
		return
	}
	n, err := io.ReadFull(s.r, b)
	s.at += int64(n)
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		s.fail(torch.ErrTruncated, s.at, "%s: the file ends %d bytes early; was it truncated?", what, len(b)-n)
	case err != nil && s.err == nil:
		s.err = ioFault(s.path, "cannot be read", err)
	}
}

func (s *scanner) uint32(what string) uint32 {
	var b [4]byte
	s.fill(b[:], what)
	return binary.LittleEndian.Uint32(b[:])
}

func (s *scanner) uint64(what string) uint64 {
	var b [8]byte
	s.fill(b[:], what)
	return binary.LittleEndian.Uint64(b[:])
}

func (s *scanner) string(what string) string {
	n := s.uint64(what)
	if !s.has(n, 1, what) {
		return ""
	}
	b := make([]byte, n)
	s.fill(b, what)
	return string(b)
}

// value reads a value of the given kind. nesting is the number of arrays around it.
func (s *scanner) value(kind uint32, what string, nesting int) any {
	switch kind {
	case kindString:
		return s.string(what)
	case kindArray:
		return s.array(what, nesting+1)
	}
	if kind >= uint32(len(kindBytes)) {
		s.fail(torch.ErrUnsupported, s.at, "%s: unknown type %d", what, kind)
		return nil
	}
	var buf [8]byte
	b := buf[:kindBytes[kind]]
	s.fill(b, what)
	switch kind {
	case kindUint8:
		return b[0]
	case kindInt8:
		return int8(b[0])
	case kindUint16:
		return binary.LittleEndian.Uint16(b)
	case kindInt16:
		return int16(binary.LittleEndian.Uint16(b))
	case kindUint32:
		return binary.LittleEndian.Uint32(b)
	case kindInt32:
		return int32(binary.LittleEndian.Uint32(b))
	case kindUint64:
		return binary.LittleEndian.Uint64(b)
	case kindInt64:
		return int64(binary.LittleEndian.Uint64(b))
	case kindFloat32:
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	case kindFloat64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	default:
		return s.bool(b[0], what)
	}
}

func (s *scanner) bool(b byte, what string) bool {
	if b > 1 {
		s.fail(torch.ErrFormat, s.at-1, "%s: expected a boolean, 0 or 1, got %d", what, b)
	}
	return b == 1
}

// array reads an array: the kind of its elements, their number, and the elements.
func (s *scanner) array(what string, nesting int) any {
	begins := s.at
	if nesting > maxNesting {
		s.fail(torch.ErrUnsupported, begins, "%s: arrays in more than %d arrays", what, maxNesting)
		return nil
	}
	kind, n := s.uint32(what), s.uint64(what)
	if s.err == nil && kind >= uint32(len(kindBytes)) {
		s.fail(torch.ErrUnsupported, begins, "%s: an array of the unknown type %d", what, kind)
	}
	if s.err != nil || !s.has(n, kindBytes[kind], what) {
		return nil
	}
	switch kind {
	case kindString:
		list := make([]string, n)
		for i := range list {
			if list[i] = s.string(what); s.err != nil {
				return nil
			}
		}
		return list
	case kindArray:
		list := make([]any, n)
		for i := range list {
			if list[i] = s.array(what, nesting+1); s.err != nil {
				return nil
			}
		}
		return list
	}
	return s.numbers(kind, int(n), what)
}

// numbers reads the elements of an array of numbers or booleans.
func (s *scanner) numbers(kind uint32, n int, what string) any {
	switch kind {
	case kindUint8:
		list := make([]uint8, n)
		s.fill(list, what)
		return list
	case kindInt8:
		return numbersOf(s, n, 1, what, func(b []byte) int8 { return int8(b[0]) })
	case kindUint16:
		return numbersOf(s, n, 2, what, binary.LittleEndian.Uint16)
	case kindInt16:
		return numbersOf(s, n, 2, what, func(b []byte) int16 { return int16(binary.LittleEndian.Uint16(b)) })
	case kindUint32:
		return numbersOf(s, n, 4, what, binary.LittleEndian.Uint32)
	case kindInt32:
		return numbersOf(s, n, 4, what, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
	case kindUint64:
		return numbersOf(s, n, 8, what, binary.LittleEndian.Uint64)
	case kindInt64:
		return numbersOf(s, n, 8, what, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case kindFloat32:
		return numbersOf(s, n, 4, what,
			func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
	case kindFloat64:
		return numbersOf(s, n, 8, what,
			func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	default:
		return numbersOf(s, n, 1, what, func(b []byte) bool { return s.bool(b[0], what) })
	}
}

func numbersOf[T any](s *scanner, n, each int, what string, read func(b []byte) T) []T {
	list := make([]T, n)
	var buf [8]byte
	for i := range list {
		if s.fill(buf[:each], what); s.err != nil {
			return nil
		}
		list[i] = read(buf[:])
	}
	return list
}
