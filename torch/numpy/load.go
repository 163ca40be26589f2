package numpy

import (
	"bytes"
	"io"
	"os"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// Load returns the array of an .npy file as a CPU tensor of the same dtype and shape. An
// array in Fortran order keeps its strides. Data after the array is ignored, as in
// Python; use [LoadFrom] to read several arrays.
//
// It returns a [*torch.FileError]: ErrFormat or ErrTruncated for a damaged file or a file
// in a different format, ErrUnsupported for an array that a tensor cannot hold,
// fs.ErrNotExist for a missing file, or a system error. Invalid options panic. Follows
// np.load; use [OpenNpz] and [LoadNpz] for .npz files.
func Load(path string, opts ...LoadOption) (*torch.Tensor, error) {
	const op = "numpy.Load"
	mmap := readLoading(op, opts)
	p := place{format: formatNpy, path: path}
	f, size, err := fileerr.Open(formatNpy, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	s := &source{place: p, r: f, size: size}
	a, err := s.header()
	if err != nil {
		return nil, err
	}
	if mmap && a.bytes > 0 && a.dtype != torch.Bool && !swapped(a.Header) && int64(a.Length)%a.Size == 0 {
		return s.mapped(op, a, f)
	}
	return s.read(a)
}

// LoadFrom reads one array from r, as [Load] does. It stops after the array, so that
// several arrays can be read in turn. At the end of r it returns ErrTruncated. An array
// of more than a mebibyte takes up to three times its size while it is read, unless the
// length of r is known, as for a [bytes.Reader]. A nil r gives a *torch.Error of kind
// ErrNil. Follows np.load of a file object.
func LoadFrom(r io.Reader) (*torch.Tensor, error) {
	if r == nil {
		return nil, torch.NewError("numpy.LoadFrom", torch.ErrNil, "r", "a nil reader")
	}
	s := &source{place: place{format: formatNpy}, r: r, size: unknown}
	if b, ok := r.(*bytes.Reader); ok {
		s.size = int64(b.Len())
	}
	a, err := s.header()
	if err != nil {
		return nil, err
	}
	return s.read(a)
}

// mapped returns a tensor that uses the memory into which the file is mapped.
func (s *source) mapped(op string, a *array, f *os.File) (*torch.Tensor, error) {
	m, err := mapped.Map(f, s.size)
	if err != nil {
		return nil, s.caused(nil, "cannot be mapped", err)
	}
	defer m.Close()
	t, err := mapped.Try(func() *torch.Tensor { return m.Tensor(op, int64(a.Length), a.inner, a.dtype) })
	if err != nil {
		return nil, s.refused(a, err)
	}
	return s.ordered(a, t)
}
