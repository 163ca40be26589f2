package numpy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/npy"
	"github.com/gotorch/gotorch/internal/sysmem"
	"github.com/gotorch/gotorch/torch"
)

// source is the input from which an array is read.
type source struct {
	place
	r     io.Reader
	size  int64 // the length of r in bytes, or unknown
	exact bool  // whether it is an error if bytes follow the array
}

const unknown = -1

// array is an array's description, from the header.
type array struct {
	npy.Header
	dtype torch.DType
	bytes int64
	inner torch.Shape // the shape in memory order, which is reversed for Fortran order
}

// header reads the header. It leaves r at the first byte of the data.
func (s *source) header() (*array, error) {
	const first = 12 // the bytes that contain the length of the header
	b := make([]byte, first)
	n, err := io.ReadFull(s.r, b)
	if err != nil && !ended(err) {
		return nil, s.broken(err)
	}
	h, parsed := npy.Parse(b[:n])
	if n == first && errors.Is(parsed, npy.ErrTruncated) {
		rest := int(binary.LittleEndian.Uint16(b[8:])) - 2
		if b[6] > 1 {
			rest = int(binary.LittleEndian.Uint32(b[8:])) // Parse has checked it against package npy's limit
		}
		whole := make([]byte, first+rest)
		copy(whole, b)
		b = whole
		n, err = io.ReadFull(s.r, b[first:])
		if err != nil && !ended(err) {
			return nil, s.broken(err)
		}
		h, parsed = npy.Parse(b[:first+n])
	}
	switch {
	case errors.Is(parsed, npy.ErrTruncated):
		return nil, s.fault(torch.ErrTruncated, 0, "the file ends within the header")
	case parsed != nil && bytes.HasPrefix(b, []byte("PK")) && s.format == formatNpy:
		return nil, s.fault(torch.ErrFormat, 0, "a zip archive; OpenNpz and LoadNpz read archives of arrays")
	case parsed != nil:
		more := make([]byte, 64)
		n, _ := io.ReadFull(s.r, more) // a shorter file is recognized too
		if what := fileerr.Instead(slices.Concat(b, more[:n])); what != "" {
			return nil, s.fault(torch.ErrFormat, 0, "%s", what)
		}
		return nil, s.fault(torch.ErrFormat, 0, "%v", parsed)
	}
	return s.described(h)
}

// described returns the array that a header describes. It returns an error if the source
// does not have enough bytes for the array.
func (s *source) described(h npy.Header) (*array, error) {
	dtype, err := s.dtype(h)
	if err != nil {
		return nil, err
	}
	n, ok := mapped.Bytes(h.Shape, h.Size)
	if !ok {
		return nil, s.fault(torch.ErrFormat, 0, "shape %v of %s has more bytes than 64 bits can count",
			torch.Shape(h.Shape), h.Descr)
	}
	a := &array{Header: h, dtype: dtype, bytes: n, inner: slices.Clone(h.Shape)}
	if h.Fortran {
		slices.Reverse(a.inner)
	}
	if s.size == unknown {
		return a, nil
	}
	there := s.size - int64(h.Length)
	if a.bytes > there {
		return nil, s.fault(torch.ErrTruncated, s.size, "shape %v of %s needs %d bytes, but the file has %d",
			torch.Shape(h.Shape), h.Descr, a.bytes, there)
	}
	if s.exact && a.bytes < there {
		return nil, s.fault(torch.ErrFormat, 0, "shape %v of %s needs %d bytes, but the file has %d",
			torch.Shape(h.Shape), h.Descr, a.bytes, there)
	}
	return a, nil
}

func (s *source) read(a *array) (*torch.Tensor, error) {
	const much = 1 << 20
	r := s.r
	// the length of r is unknown, so read the data before allocating a tensor
	if s.size == unknown && a.bytes > much {
		// Refuse an array that is larger than the machine's memory. A reader that never
		// ends would provide all its data, and failing to allocate a slice ends the
		// process.
		const some = 1 << 26
		if _, total, err := sysmem.Machine(); err == nil && a.bytes > max(total, some) {
			if n, err := io.CopyN(io.Discard, s.r, some); err != nil {
				return nil, s.short(a, n, err)
			}
			return nil, s.refused(a,
				torch.NewError("numpy.LoadFrom", torch.ErrOutOfMemory, "r",
					fmt.Sprintf("the array needs %d bytes, more than the machine's %d", a.bytes, total)))
		}
		var there bytes.Buffer
		if n, err := io.CopyN(&there, s.r, a.bytes); err != nil {
			return nil, s.short(a, n, err)
		}
		r = &there
	}
	t, err := mapped.Try(func() *torch.Tensor { return torch.Empty(a.inner, a.dtype, torch.CPU) })
	if err != nil {
		return nil, s.refused(a, err)
	}
	memory := mapped.Memory(t)
	n, err := io.ReadFull(r, memory)
	if err == nil && s.exact {
		err = atEnd(s.r)
	}
	if err != nil {
		_ = t.Close() // never fails
		return nil, s.short(a, int64(n), err)
	}
	settle(a.Header, memory)
	return s.ordered(a, t)
}

// atEnd reads to the end of an archive's entry, which verifies the checksum.
func atEnd(r io.Reader) error {
	switch n, err := r.Read(make([]byte, 1)); {
	case n > 0:
		return errMore
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

var errMore = errors.New("the entry has more bytes than the archive's directory says")

// short returns the error for an array whose data could not be read. n is the number of
// bytes that were read.
func (s *source) short(a *array, n int64, err error) error {
	switch {
	case ended(err):
		return s.fault(torch.ErrTruncated, int64(a.Length)+n, "shape %v of %s needs %d bytes, but the file has %d",
			torch.Shape(a.Shape), a.Descr, a.bytes, n)
	default:
		return s.broken(err)
	}
}

// broken converts an error of the reader. A FileError of an archive stays unchanged; any
// other error is a system error.
func (s *source) broken(err error) error {
	if errors.As(err, new(*torch.FileError)) {
		return err
	}
	return s.caused(nil, "", err)
}

// refused returns the error for a tensor that libtorch could not make.
func (s *source) refused(a *array, err error) error {
	kind := torch.ErrFormat
	if errors.Is(err, torch.ErrOutOfMemory) {
		kind = nil
	}
	e := s.fault(kind, 0, "shape %v of %s", torch.Shape(a.Shape), a.Descr)
	e.Err = err
	return e
}

// ordered returns t with the array's shape. The elements of t are in the order of the file.
func (s *source) ordered(a *array, t *torch.Tensor) (*torch.Tensor, error) {
	if !a.Fortran || len(a.Shape) < 2 {
		return t, nil
	}
	defer func() { _ = t.Close() }() // never fails
	out, err := mapped.Try(func() *torch.Tensor { return backwards(t) })
	if err != nil {
		return nil, s.refused(a, err)
	}
	return out, nil
}

// backwards returns a view of t with the dimensions in reverse order.
func backwards(t *torch.Tensor) *torch.Tensor {
	n := t.Dim()
	dims := make([]int64, n)
	for i := range dims {
		dims[i] = n - 1 - int64(i)
	}
	return t.Permute(dims...)
}
