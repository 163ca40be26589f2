package numpy

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// NpzFile is an open archive whose arrays are read on demand. [OpenNpz] makes it; methods
// of the zero value and of nil panic with a *torch.Error of kind ErrNil. NpzFile is safe
// for use by several goroutines. Follows np.lib.npyio.NpzFile.
type NpzFile struct {
	path  string
	names []string
	zip   *ziparchive.Archive

	mu     sync.RWMutex // locked for reading while an array is read
	file   *os.File
	closed bool
}

// OpenNpz opens an .npz file and reads its directory. Close it when you need no more
// arrays from it; arrays already read stay valid.
//
// It returns a [*torch.FileError]: ErrFormat or ErrTruncated for a damaged file or a file
// in a different format, ErrUnsupported for arrays that together are larger than
// [MaxInflated] allows, fs.ErrNotExist for a missing file, or a system error. Invalid
// options panic. Follows np.load.
func OpenNpz(path string, opts ...NpzOption) (*NpzFile, error) {
	return openNpz(path, readNpz("numpy.OpenNpz", opts))
}

// LoadNpz returns all arrays of an .npz file by name. On an error it returns none. It
// returns the same errors as [OpenNpz] and [NpzFile.Tensor].
func LoadNpz(path string, opts ...NpzOption) (map[string]*torch.Tensor, error) {
	f, err := openNpz(path, readNpz("numpy.LoadNpz", opts))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return f.Tensors()
}

func openNpz(path string, most int64) (*NpzFile, error) {
	file, size, err := fileerr.Open(formatNpz, path)
	if err != nil {
		return nil, err
	}
	f := &NpzFile{path: path, file: file}
	if err := f.index(size, most); err != nil {
		_ = file.Close() // only the first error is returned
		return nil, err
	}
	return f, nil
}

func (f *NpzFile) index(size, most int64) error {
	p := place{format: formatNpz, path: f.path}
	z, err := ziparchive.Open(ziparchive.Source{
		Format: formatNpz, Path: f.path, Reader: f.file, Size: size,
		Arrays: true,
	}, func(head []byte) error {
		if what := fileerr.Instead(head); what != "" {
			return p.fault(torch.ErrFormat, 0, "%s", what)
		}
		head = head[:min(len(head), 6)]
		if string(head) == "\x93NUMPY" {
			return p.fault(torch.ErrFormat, 0, "the file has a single array, not an archive; read it with Load")
		}
		return p.fault(torch.ErrFormat, 0, "not a zip archive; the first bytes are %q", head)
	})
	if err != nil {
		return err
	}
	if what := ziparchive.Kind(ziparchive.Names(z.Files)); what != "" && what != ziparchive.NumPy {
		return p.fault(torch.ErrUnsupported, 0, "%s", what)
	}
	for _, e := range z.Files {
		f.names = append(f.names, bare(e.Name))
	}
	f.zip = z
	return z.Index(ziparchive.Rules{
		Key: func(name string) (string, bool) { return bare(name), true }, Spare: most,
		Option: "MaxInflated",
	})
}

// bare returns an array's name without .npy.
func bare(name string) string { return strings.TrimSuffix(name, ".npy") }

// must panics if OpenNpz did not make f.
func (f *NpzFile) must(op string) {
	if f == nil || f.zip == nil {
		panic(torch.NewError(op, torch.ErrNil, "f", "was not returned by OpenNpz"))
	}
}

// Close closes the file. Tensors already read and the names stay valid. Close waits for
// arrays that are being read. Closing twice, or closing nil, does nothing.
func (f *NpzFile) Close() error {
	if f == nil || f.zip == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	if err := f.file.Close(); err != nil {
		return place{format: formatNpz, path: f.path}.caused(nil, "", err)
	}
	return nil
}

// Names returns the names of the arrays in the order of the file, without .npy. Follows
// NpzFile.files.
func (f *NpzFile) Names() []string {
	f.must("numpy.NpzFile.Names")
	return slices.Clone(f.names)
}

// Tensor reads an array, as [Load] does, and verifies its checksum. name may end in .npy.
// Each call returns a tensor with its own memory.
//
// It returns a [*torch.FileError], such as ErrNotFound, or a *torch.Error of kind
// ErrClosed after Close. Follows indexing of an NpzFile.
func (f *NpzFile) Tensor(name string) (*torch.Tensor, error) {
	const op = "numpy.NpzFile.Tensor"
	f.must(op)
	f.mu.RLock()
	defer f.mu.RUnlock()
	s, err := f.entry(op, name)
	if err != nil {
		return nil, err
	}
	a, err := s.header()
	if err != nil {
		return nil, err
	}
	return s.read(a)
}

// entry opens an array for reading. The caller must hold the lock.
func (f *NpzFile) entry(op, name string) (*source, error) {
	if f.closed {
		return nil, torch.NewError(op, torch.ErrClosed, "f", "used after Close")
	}
	e := f.zip.Entries[name]
	if e == nil {
		e = f.zip.Entries[bare(name)]
	}
	if e == nil {
		return nil, place{format: formatNpz, path: f.path, name: name}.fault(torch.ErrNotFound, 0,
			"the archive has no such array")
	}
	r, err := f.zip.Open(e, true)
	if err != nil {
		return nil, err
	}
	p := place{format: formatNpz, path: f.path, name: bare(e.Name)}
	return &source{place: p, r: r, size: int64(min(e.UncompressedSize64, 1<<62)), exact: true}, nil
}

// Tensors reads all arrays and returns them by name. On an error it returns none.
func (f *NpzFile) Tensors() (map[string]*torch.Tensor, error) {
	f.must("numpy.NpzFile.Tensors")
	tensors := make(map[string]*torch.Tensor, len(f.names))
	for _, name := range f.names {
		t, err := f.Tensor(name)
		if err != nil {
			for _, t := range tensors {
				_ = t.Close() // never fails
			}
			return nil, err
		}
		tensors[name] = t
	}
	return tensors, nil
}
