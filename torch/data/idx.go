package data

import (
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/torch"
)

// IDX is the content of an IDX file. IDX is the format of MNIST and of similar data sets.
type IDX struct {
	DType torch.DType // Uint8, Int8, Int16, Int32, Float32 or Float64
	Shape torch.Shape
	Data  []byte // the elements; numbers of several bytes are big-endian
}

// String returns a string such as "IDX(uint8, (60000, 28, 28))", with the dtype and the
// shape.
func (x IDX) String() string { return fmt.Sprintf("IDX(%v, %v)", x.DType, x.Shape) }

// idxTypes maps the third byte of a file's magic number to the dtype.
var idxTypes = map[byte]torch.DType{
	0x08: torch.Uint8, 0x09: torch.Int8, 0x0B: torch.Int16, 0x0C: torch.Int32, 0x0D: torch.Float32, 0x0E: torch.Float64,
}

// maxIDXDims is the largest number of dimensions that libtorch's loops support.
const maxIDXDims = 64

// An IDXOption is an argument of [ReadIDX] and [DecodeIDX]: [MemoryLimit].
//
//gotorch:options MemoryLimit
type IDXOption interface{ idxOption() }

// readIDX reads the options and returns the memory limit for a file of size bytes. size is
// -1 if unknown.
func readIDX(op string, opts []IDXOption, size int64) int64 {
	given := int64(0)
	for _, o := range opts {
		m, ok := o.(MemoryLimit)
		if !ok {
			panic(torch.BadOption(op, o))
		}
		given = mustBePositive(op, "MemoryLimit", int64(m))
	}
	return limitOf(given, size)
}

// ReadIDX reads an IDX file, which may be compressed with gzip. It returns a *FileError
// if the file is missing, truncated, not an IDX file, or larger than [MemoryLimit]
// allows. Invalid options panic.
func ReadIDX(path string, opts ...IDXOption) (*IDX, error) {
	const op = "data.ReadIDX"
	readIDX(op, opts, 0) // only to panic for invalid options before the file is opened
	f, size, err := files.Open(path)
	if err != nil {
		return nil, openError(path, err)
	}
	defer func() { _ = f.Close() }()
	return idxOf(f, path, readIDX(op, opts, size))
}

// DecodeIDX is ReadIDX for a reader, which it reads to the end. name is the file's name in
// errors. DecodeIDX uses at most three times the memory of the data that r contains,
// whatever sizes the header claims. A nil reader gives a *FileError that wraps ErrNil.
// Invalid options panic.
func DecodeIDX(r io.Reader, name string, opts ...IDXOption) (*IDX, error) {
	const op = "data.DecodeIDX"
	most := readIDX(op, opts, -1)
	if r == nil {
		return nil, &FileError{
			Path: name, Detail: "cannot be read",
			Err: torch.NewError(op, torch.ErrNil, "r", "a nil reader"),
		}
	}
	return idxOf(r, name, most)
}

// idxOf reads a file. most is the largest number of bytes that the elements may take.
// idxOf adds the file's name to errors.
func idxOf(r io.Reader, name string, most int64) (*IDX, error) {
	x, err := decodeIDX(r, most)
	if err != nil {
		var fe *FileError
		if !errors.As(err, &fe) {
			fe = &FileError{Detail: "cannot be read", Err: err}
		}
		fe.Path = name
		return nil, fe
	}
	return x, nil
}

func decodeIDX(r io.Reader, most int64) (*IDX, error) {
	b, err := gunzipped(r)
	if err != nil {
		return nil, readError("in its gzip header", err)
	}
	x, size, err := idxHeader(b)
	if err != nil {
		return nil, err
	}
	// Reading one more byte than expected shows whether the file is too long. It also makes
	// package gzip verify the checksum.
	x.Data, err = io.ReadAll(io.LimitReader(b, min(size, most)+1))
	if err != nil {
		return nil, readError(fmt.Sprintf("after %d of %d bytes of data", len(x.Data), size), err)
	}
	switch n := int64(len(x.Data)); {
	case n > size:
		return nil, &FileError{
			Kind:   torch.ErrFormat,
			Detail: fmt.Sprintf("the file has extra data after the %d bytes of %v %v", size, x.DType, x.Shape),
		}
	case n > most:
		return nil, &FileError{
			Kind:   torch.ErrFormat,
			Detail: fmt.Sprintf("%v %v takes %d bytes, but MemoryLimit is %d", x.DType, x.Shape, size, most),
		}
	case n < size:
		return nil, &FileError{
			Kind:   torch.ErrTruncated,
			Detail: fmt.Sprintf("the file has %d bytes of data, but %v %v needs %d", n, x.DType, x.Shape, size),
		}
	}
	return x, nil
}

// idxHeader reads the header of a file. It returns the IDX without elements, and the number
// of bytes that the elements take.
func idxHeader(r io.Reader) (*IDX, int64, error) {
	var magic [4]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil {
		return nil, 0, readError("in the magic number", err)
	}
	dtype, known := idxTypes[magic[2]]
	if magic[0] != 0 || magic[1] != 0 || !known {
		return nil, 0, &FileError{Kind: torch.ErrFormat, Detail: fmt.Sprintf("starts with % x, which is not an IDX "+
			"magic number (00 00, a type from 08 to 0e, the number of dimensions)", magic)}
	}
	if magic[3] == 0 || magic[3] > maxIDXDims {
		return nil, 0, &FileError{
			Kind:   torch.ErrFormat,
			Detail: fmt.Sprintf("%d dimensions, expected 1 to %d", magic[3], maxIDXDims),
		}
	}
	dims := make([]byte, 4*int(magic[3]))
	if n, err := io.ReadFull(r, dims); err != nil {
		return nil, 0, readError(fmt.Sprintf("in dimension %d of %d", n/4, magic[3]), err)
	}
	x := &IDX{DType: dtype, Shape: make(torch.Shape, magic[3])}
	for i := range x.Shape {
		x.Shape[i] = int64(binary.BigEndian.Uint32(dims[4*i:]))
	}
	size, ok := byteSize(x.Shape, dtype.Size())
	if !ok {
		return nil, 0, &FileError{
			Kind:   torch.ErrFormat,
			Detail: fmt.Sprintf("claims a size of %v, more than 64 bits can count", x.Shape),
		}
	}
	return x, size, nil
}

// byteSize returns the size of a tensor in bytes. element is the size of one element in
// bytes. ok is false if the product of the nonzero sizes plus one overflows, because
// libtorch multiplies sizes even if one of them is 0.
func byteSize(shape torch.Shape, element int64) (n int64, ok bool) {
	n, empty := element, false
	for _, d := range shape {
		if d == 0 {
			empty = true
			continue
		}
		if n > (math.MaxInt64-1)/d {
			return 0, false
		}
		n *= d
	}
	if empty {
		n = 0
	}
	return n, true
}

// readError converts an error from reading a file to a *FileError. where is the place in
// the file at which the error occurred.
func readError(where string, err error) error {
	var damage flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &FileError{Kind: torch.ErrTruncated, Detail: "ends " + where}
	case errors.As(err, &damage), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return &FileError{Kind: torch.ErrFormat, Detail: "damaged " + where, Err: err}
	default:
		return &FileError{Detail: "cannot be read " + where, Err: fileerr.WithoutPath(err)}
	}
}

// Tensor copies the elements into a new CPU tensor. It panics with ErrNil for a nil x,
// with ErrDType for a dtype that the format does not support, and with ErrShape if the
// shape does not match the number of elements.
func (x *IDX) Tensor() *torch.Tensor {
	const op = "data.IDX.Tensor"
	mustBeMade(op, x != nil)
	if !slices.Contains(slices.Collect(maps.Values(idxTypes)), x.DType) {
		panic(torch.NewError(op, torch.ErrDType, "DType", fmt.Sprintf("IDX files do not support %v", x.DType)))
	}
	n := len(x.Data) / int(x.DType.Size())
	be := binary.BigEndian
	switch x.DType {
	case torch.Int8:
		v := make([]int8, n)
		for i := range v {
			v[i] = int8(x.Data[i])
		}
		return torch.FromSliceWith(v, x.Shape, torch.CPU)
	case torch.Int16:
		v := make([]int16, n)
		for i := range v {
			v[i] = int16(be.Uint16(x.Data[2*i:]))
		}
		return torch.FromSliceWith(v, x.Shape, torch.CPU)
	case torch.Int32:
		v := make([]int32, n)
		for i := range v {
			v[i] = int32(be.Uint32(x.Data[4*i:]))
		}
		return torch.FromSliceWith(v, x.Shape, torch.CPU)
	case torch.Float32:
		v := make([]float32, n)
		for i := range v {
			v[i] = math.Float32frombits(be.Uint32(x.Data[4*i:]))
		}
		return torch.FromSliceWith(v, x.Shape, torch.CPU)
	case torch.Float64:
		v := make([]float64, n)
		for i := range v {
			v[i] = math.Float64frombits(be.Uint64(x.Data[8*i:]))
		}
		return torch.FromSliceWith(v, x.Shape, torch.CPU)
	default:
		return torch.FromSliceWith(x.Data, x.Shape, torch.CPU)
	}
}
