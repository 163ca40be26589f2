package serialization

import (
	"bufio"
	"io"
	"os"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/mapped"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// file is the file that is being read, and how to read it.
type file struct {
	path string
	r    io.ReaderAt
	size int64
	os   *os.File // nil if the file was passed as an io.ReaderAt
}

// source provides the bytes of storages.
type source interface {
	// room returns the largest number of bytes that the file can contain for a storage.
	room(s *storage) int64
	// place returns the position of a storage's bytes in the file. ok is false if the
	// file does not contain the bytes as such, for example because they are compressed.
	place(s *storage) (offset int64, ok bool)
	// open returns a reader of a storage's bytes. If the bytes do not match their checksum,
	// the reader returns an error at the end.
	open(s *storage) (io.Reader, error)
}

// reading is the state of reading a file's pickle.
type reading struct {
	*file
	loading
	legacy   bool
	swapped  bool // whether the file's byte order is not this machine's
	storages map[string]*storage
	order    []*storage // the storages, in the order in which the pickle names them
	source   source
	value    int64  // offset of the pickle with the value; 0 if the pickle is compressed
	found    *finds // what Inspect has found; nil for other functions

	partBytes int64             // of the parts of sparse tensors; see countPart
	results   map[string]string // the names of results that are called; see callForeign
}

// Load reads a file written by torch.save and returns its value; see the package
// documentation for the types. The error is a [*torch.FileError], or a *torch.Error of
// kind ErrDevice for an unavailable MapLocation. Invalid options panic with a *torch.Error
// of kind ErrNil or ErrValue. Follows torch.load with weights_only=True.
func Load(path string, opts ...LoadOption) (any, error) {
	c, err := readLoading("serialization.Load", opts)
	if err != nil {
		return nil, err
	}
	return loadPath(path, c)
}

func loadPath(path string, c loading) (any, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.os.Close() }() // the file was only read, so closing it loses no data
	return f.load(c)
}

// openFile opens the file at path.
func openFile(path string) (*file, error) {
	o, size, err := fileerr.Open(format, path)
	if err != nil {
		return nil, err
	}
	return &file{path: path, r: o, os: o, size: size}, nil
}

// LoadFrom is like [Load] for the first size bytes of r. It keeps no reference to r. If r is
// nil, the error is a *torch.Error of kind ErrNil. It panics with ErrValue for Mmap(true).
func LoadFrom(r io.ReaderAt, size int64, opts ...LoadOption) (any, error) {
	const op = "serialization.LoadFrom"
	if r == nil {
		return nil, torch.NewError(op, torch.ErrNil, "r", "a nil reader")
	}
	c, err := readLoading(op, opts)
	if err != nil {
		return nil, err
	}
	if c.mmap {
		panic(torch.NewError(op, torch.ErrValue, "Mmap",
			"a reader cannot be mapped; use Load, LoadStateDict or OpenStateDict with a file"))
	}
	return (&file{r: r, size: size}).load(c)
}

func (f *file) load(c loading) (any, error) {
	l := &reading{file: f, loading: c, storages: map[string]*storage{}}
	var v any
	var build *building
	err := l.read(func(top any) error {
		part, err := l.entry(top)
		if err != nil {
			return err
		}
		build = newBuilding(l)
		v, err = build.all(part)
		return err
	})
	if build != nil {
		build.close(err != nil)
	}
	if err != nil {
		return nil, f.wrap(err)
	}
	return v, nil
}

// entry returns the part of top that the Key option names.
func (l *reading) entry(top any) (any, error) {
	rest := l.key
	for rest != "" {
		m, ok := top.(*pickle.Map)
		if !ok {
			return nil, l.fail(torch.ErrNotFound, -1, "no entry %s: its parent is %s", quote(l.key, longestCall),
				kindName(top))
		}
		v, found := m.Get(rest)
		next := ""
		// try the longest key first, because a key may contain dots
		for i := len(rest) - 1; i > 0 && !found; i-- {
			if rest[i] == '.' {
				v, found = m.Get(rest[:i])
				next = rest[i+1:]
			}
		}
		if !found {
			return nil, l.fail(torch.ErrNotFound, -1, "there is no entry %s; the entries are %s", quote(l.key,
				longestCall), keysOf(m))
		}
		top, rest = v, next
	}
	return top, nil
}

// keysOf returns a string with the first keys of a dict, for errors.
func keysOf(m *pickle.Map) string {
	p, left := printer{most: longestCall}, plainer(longestCall)
	p.items("", "", left.list(m.Keys, 1), 0)
	return p.String()
}

// read reads the pickle of a file in either format, and calls use with its value.
func (l *reading) read(use func(top any) error) error {
	head := make([]byte, 512)
	n, err := l.r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	head = head[:min(int64(n), max(l.size, 0))]
	if what := fileerr.Instead(head); what != "" {
		return l.fail(torch.ErrFormat, 0, "%s", what)
	}
	switch kind := sniff(head); kind {
	case isZip:
		return l.readZip(use)
	case isLegacy:
		if l.mmap {
			return l.fail(torch.ErrUnsupported, 0,
				"a file written before PyTorch 1.6 cannot be mapped into memory; load it without Mmap")
		}
		return l.readLegacy(use)
	default:
		return l.fail(kind.error(), 0, "%s", kind.text())
	}
}

// pickle returns a reader for a pickle that begins at offset base of the file.
func (l *reading) pickle(r *bufio.Reader, base int64) *pickle.Reader {
	u := pickle.NewReader(r)
	// Allow one value for every two bytes. Python writes at least two bytes for each value,
	// and even a compressed file is not smaller, because the numbers of the values compress
	// badly.
	u.Classes, u.Base, u.Most = l, base, pickle.MostOfAny+l.size/2
	return u
}

// building is the state of converting the values of a pickle to the values that Load
// returns.
type building struct {
	*reading
	m      *mapped.File
	made   []*torch.Tensor  // all tensors made from the file so far
	seen   map[any]*any     // see place
	copies map[*byte][]byte // see bytes
	depth  int

	globals map[[2]string]string // see globalName
}
