package numpy

import (
	"archive/zip"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gotorch/gotorch/torch"
)

// NpzFile is an open archive, whose arrays are read when somebody asks for them. Its methods
// may be called from several goroutines at once. Follows np.lib.npyio.NpzFile.
type NpzFile struct {
	path    string
	names   []string
	entries map[string]*zip.File

	mu     sync.RWMutex // held for reading while an array is read
	file   *os.File
	closed bool
}

// inflation is how many times the file's size arrays may have whatever MaxInflated says.
const inflation = 16

// OpenNpz opens an .npz file and reads its directory. Close it when no more arrays are to
// come of it; those that came stay.
//
// It returns a *[FileError]: ErrFormat or ErrTruncated for what is no zip archive or a
// damaged one, ErrUnsupported for arrays that together are larger than [MaxInflated] permits,
// fs.ErrNotExist where there is no file, and others of the system. Wrong options panic.
// Follows np.load.
func OpenNpz(path string, opts ...NpzOption) (*NpzFile, error) {
	return openNpz(path, readNpz("numpy.OpenNpz", opts))
}

// LoadNpz returns all arrays of an .npz file by name, each as [NpzFile.Tensor] does; after
// an error none. Its errors are those of [OpenNpz] and of Tensor.
func LoadNpz(path string, opts ...NpzOption) (map[string]*torch.Tensor, error) {
	f, err := openNpz(path, readNpz("numpy.LoadNpz", opts))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return f.Tensors()
}

func openNpz(path string, most int64) (*NpzFile, error) {
	p := place{format: formatNpz, path: path}
	file, size, err := p.open()
	if err != nil {
		return nil, err
	}
	f := &NpzFile{path: path, file: file, entries: map[string]*zip.File{}}
	if err := f.index(p, size, most); err != nil {
		_ = file.Close() // the first error counts
		return nil, err
	}
	return f, nil
}

// zipKind is the kind of an error of archive/zip, nil for one of the system. It says
// ErrFormat for an archive whose end is missing too, where the directory is.
func zipKind(err error) error {
	switch {
	case errors.Is(err, zip.ErrFormat) || ended(err):
		return ErrTruncated
	case errors.Is(err, zip.ErrAlgorithm):
		return ErrUnsupported
	default:
		var pe *os.PathError
		if errors.As(err, &pe) {
			return nil
		}
		return ErrFormat
	}
}

// index reads the directory, and sums up what the arrays take.
func (f *NpzFile) index(p place, size, most int64) error {
	start := make([]byte, 6)
	n, err := f.file.ReadAt(start, 0)
	if err != nil && !ended(err) {
		return p.caused(nil, "", err)
	}
	if start = start[:n]; string(start) == "\x93NUMPY" {
		return p.fault(ErrFormat, 0, "one array, no archive: Load reads it")
	} else if n > 1 && string(start[:2]) != "PK" {
		return p.fault(ErrFormat, 0, "no zip archive: the first bytes are %q", start)
	}
	z, err := zip.NewReader(f.file, size)
	if err != nil {
		return p.caused(zipKind(err), "a damaged zip archive", err)
	}
	packed, grown := uint64(size), uint64(size)*inflation+uint64(most)
	for _, e := range z.File {
		p.name = strings.TrimSuffix(e.Name, ".npy")
		switch {
		case f.entries[p.name] != nil:
			return p.fault(ErrFormat, 0, "it is there twice")
		case e.CompressedSize64 > packed:
			return p.fault(ErrFormat, 0, "arrays that are larger than the file together")
		case e.Method == zip.Store && e.CompressedSize64 != e.UncompressedSize64:
			return p.fault(ErrFormat, 0, "%d bytes in %d, without compression", e.UncompressedSize64, e.CompressedSize64)
		case e.UncompressedSize64 > grown:
			return p.fault(ErrUnsupported, 0, "arrays that grow to more than %d times the file and %d bytes: MaxInflated may permit it", inflation, most)
		}
		packed -= e.CompressedSize64
		grown -= e.UncompressedSize64
		f.entries[p.name] = e
		f.names = append(f.names, p.name)
	}
	return nil
}

// Close closes the file. The tensors that came of it stay. It may be called twice, and on
// nil; the names can still be asked for. It waits for arrays that are being read.
func (f *NpzFile) Close() error {
	if f == nil {
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

// Names returns the names of the arrays in the order of the file, without the .npy that
// they have in the archive. Follows NpzFile.files.
func (f *NpzFile) Names() []string { return slices.Clone(f.names) }

// Tensor reads an array, as [Load] does; name may end in .npy. Each call returns a tensor
// with memory of its own. The array's checksum is compared.
//
// It returns a *[FileError], ErrNotFound among others, and a *torch.Error of kind ErrClosed
// after Close. Follows indexing of an NpzFile.
func (f *NpzFile) Tensor(name string) (*torch.Tensor, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return nil, torch.NewError("numpy.NpzFile.Tensor", torch.ErrClosed, "f", "used after Close")
	}
	p := place{format: formatNpz, path: f.path, name: name}
	e := f.entries[name]
	if e == nil {
		e = f.entries[strings.TrimSuffix(name, ".npy")]
	}
	switch {
	case e == nil:
		return nil, p.fault(ErrNotFound, 0, "the archive has no such array")
	case e.Flags&1 != 0:
		return nil, p.fault(ErrUnsupported, 0, "it is encrypted")
	}
	r, err := e.Open()
	if err != nil {
		return nil, p.caused(zipKind(err), "", err)
	}
	defer func() { _ = r.Close() }() // it was only read
	s := &source{place: p, r: r, size: int64(min(e.UncompressedSize64, 1<<62)), exact: true}
	a, err := s.header()
	if err != nil {
		return nil, err
	}
	return s.read(a)
}

// Tensors reads all arrays by name; after an error there are none.
func (f *NpzFile) Tensors() (map[string]*torch.Tensor, error) {
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
