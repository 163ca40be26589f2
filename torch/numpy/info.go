package numpy

import (
	"slices"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// Info is the content of an array's header.
type Info struct {
	Name  string // in an archive, "" for an .npy file
	DType torch.DType
	Descr string // the dtype in the file, such as "<f4"
	Shape torch.Shape
	Bytes int64 // of the data
}

// ReadInfo reads only the header of an .npy file. It returns the same errors as [Load].
// Follows np.lib.format.read_array_header_1_0.
func ReadInfo(path string) (Info, error) {
	p := place{format: formatNpy, path: path}
	f, size, err := fileerr.Open(p.format, path)
	if err != nil {
		return Info{}, err
	}
	defer func() { _ = f.Close() }() // the file was only read, so closing it loses no data
	a, err := (&source{place: p, r: f, size: size}).header()
	if err != nil {
		return Info{}, err
	}
	return a.info(""), nil
}

// Info reads only the header of an array; name may end in .npy. It returns the same
// errors as [NpzFile.Tensor], except for errors in the data and its checksum.
func (f *NpzFile) Info(name string) (Info, error) {
	const op = "numpy.NpzFile.Info"
	f.must(op)
	f.mu.RLock()
	defer f.mu.RUnlock()
	s, err := f.entry(op, name)
	if err != nil {
		return Info{}, err
	}
	a, err := s.header()
	if err != nil {
		return Info{}, err
	}
	return a.info(s.name), nil
}

func (a *array) info(name string) Info {
	return Info{Name: name, DType: a.dtype, Descr: a.Descr, Shape: slices.Clone(a.Shape), Bytes: a.bytes}
}
