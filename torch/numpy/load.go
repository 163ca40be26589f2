package numpy

import (
	"bytes"
	"io"
	"os"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/torch"
)

// Load returns the array of an .npy file as a CPU tensor of its dtype and shape, owned by
// the innermost scope, else by the collector. An array in Fortran's order has its strides.
// What follows the array in the file is left, as in Python; [LoadFrom] reads several.
//
// It returns a *[FileError]: ErrFormat or ErrTruncated for what is no .npy file or a
// damaged one, ErrUnsupported for what no tensor can hold, fs.ErrNotExist where there is no
// file, and others of the system. Wrong options panic. Follows np.load; for .npz files there
// are [OpenNpz] and [LoadNpz].
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

// LoadFrom reads one array from r, as [Load] does, and leaves r behind it, so that several
// that were saved one after the other are read in turn. At the end of r the error is
// ErrTruncated. Arrays of more than a mebibyte take up to three times their size while they
// are read, since nobody knows before whether r has so much; a [bytes.Reader] says so. It panics with an *torch.Error
// of kind ErrNil for a nil r. Follows np.load of a file object.
func LoadFrom(r io.Reader) (*torch.Tensor, error) {
	if r == nil {
		panic(torch.NewError("numpy.LoadFrom", torch.ErrNil, "r", "a reader is needed"))
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

// mapped returns a tensor that lies in the file.
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
