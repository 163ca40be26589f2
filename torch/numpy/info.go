package numpy

import (
	"slices"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// Info is what the header of an array says.
type Info struct {
	Name  string // in an archive, "" for an .npy file
	DType torch.DType
	Descr string // the dtype as the file has it, such as "<f4"
	Shape torch.Shape
	Bytes int64 // of the numbers
}

// ReadInfo reads the header of an .npy file and nothing else. Its errors are those of
// [Load]. Follows np.lib.format.read_array_header_1_0 and its kin.
func ReadInfo(path string) (Info, error) {
	p := place{format: formatNpy, path: path}
	f, size, err := fileerr.Open(p.format, path)
	if err != nil {
		return Info{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	a, err := (&source{place: p, r: f, size: size}).header()
	if err != nil {
		return Info{}, err
	}
	return a.info(""), nil
}

// Info reads the header of an array and nothing else; name may end in .npy. Its errors are
// those of [NpzFile.Tensor], but for the numbers and their checksum, which are not read.
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
