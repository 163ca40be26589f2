package serialization

import (
	"archive/zip"
	"bufio"
	"io"
	"strings"

	"github.com/gotorch/gotorch/internal/ziparchive"
	"github.com/gotorch/gotorch/torch"
)

// The format of PyTorch 1.6 and later is a zip archive with one top-level directory. In
// that directory, data.pkl is the pickle and data/KEY holds the bytes of a storage, both
// uncompressed.

// archive is a file in the format of PyTorch 1.6 and later.
type archive struct {
	*reading
	zip *ziparchive.Archive
}

func (l *reading) readZip(use func(any) error) error {
	z, err := ziparchive.New(ziparchive.Source{Format: format, Path: l.path, Reader: l.r, Size: l.size})
	if err != nil {
		return err
	}
	a := &archive{reading: l, zip: z}
	l.source = a
	if err := a.index(); err != nil {
		return err
	}
	if err := a.order(); err != nil {
		return err
	}
	data := z.Entries["data.pkl"]
	r, err := z.Open(data, a.verify)
	if err != nil {
		return err
	}
	if data.Method == zip.Store {
		l.value = z.Where(data)
	}
	u := l.pickle(bufio.NewReaderSize(r, 1<<16), l.value)
	var top any
	if err := u.RunAny(func(v any) { top = v }); err != nil {
		return err
	}
	// at the end of the entry, the reader verifies the checksum
	if _, err := io.Copy(io.Discard, r); err != nil {
		return err
	}
	return use(top)
}

// index finds the archive's top-level directory and lists the entries in it.
func (a *archive) index() error {
	prefix := ""
	for _, f := range a.zip.Files {
		if folder, name, found := strings.Cut(f.Name, "/"); found && name == "data.pkl" {
			prefix = folder + "/"
			break
		}
	}
	if prefix == "" {
		if what := ziparchive.Kind(ziparchive.Names(a.zip.Files)); what != "" {
			return a.fail(torch.ErrUnsupported, 0, "%s", what)
		}
		return a.fail(torch.ErrFormat, 0, "the file is a zip archive without data.pkl, so torch.save did not write it")
	}
	inside := func(name string) (string, bool) { return strings.CutPrefix(name, prefix) }
	if err := a.zip.Index(ziparchive.Rules{Key: inside}); err != nil {
		return err
	}
	if f := a.zip.Entries["constants.pkl"]; f != nil && !a.opaque {
		return a.zip.Fail(f, torch.ErrUnsupported,
			"a TorchScript archive, written by torch.jit.save; package torch/jit runs its program")
	}
	return nil
}

// order reads the byte order of the elements.
func (a *archive) order() error {
	f := a.zip.Entries["byteorder"]
	if f == nil {
		return nil // little-endian, because older versions of PyTorch recorded no byte order
	}
	r, err := a.zip.Open(f, a.verify)
	if err != nil {
		return err
	}
	word, err := io.ReadAll(io.LimitReader(r, 16))
	if err != nil {
		return err
	}
	switch string(word) {
	case "little":
	case "big":
		a.swapped = true
	default:
		return a.zip.Fail(f, torch.ErrFormat, "unknown byte order %.100q", word)
	}
	return nil
}

func (a *archive) room(s *storage) int64 {
	if f := a.zip.Entries["data/"+s.key]; f != nil {
		return int64(f.UncompressedSize64)
	}
	return -1
}

func (a *archive) place(s *storage) (int64, bool) {
	f := a.zip.Entries["data/"+s.key]
	if f == nil {
		return 0, false
	}
	at, err := a.zip.Begin(f)
	return at, err == nil && f.Method == zip.Store
}

func (a *archive) open(s *storage) (io.Reader, error) {
	return a.zip.Open(a.zip.Entries["data/"+s.key], a.verify)
}
