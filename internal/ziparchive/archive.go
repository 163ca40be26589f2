// Package ziparchive reads zip archives that may be damaged or hostile. Packages
// torch/serialization, torch/jit, torch/export, torch/numpy and torch/aoti use it. Its errors are
// *fileerr.Error, which name the entry and the position in the file.
package ziparchive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// Source is the file of an archive.
type Source struct {
	Format string // the format's name in errors
	Path   string // "" if the bytes were not read from a file
	Reader io.ReaderAt
	Size   int64
	// Arrays says whether each entry is an array. If so, errors name the entry as a
	// tensor. They give no position in the file, because the entry may be compressed. An
	// entry with an unsupported compression is an error only when it is read.
	Arrays bool
}

// Archive is an open archive. It is safe for concurrent use.
type Archive struct {
	Source
	Files   []*zip.File          // in the order of the directory
	Entries map[string]*zip.File // entries by the names that Rules.Key returns; nil before [Archive.Index]
	key     func(name string) (string, bool)
}

// Open reads the directory of an archive. If the file is not an archive, Open calls other
// with the first bytes of the file and returns its error.
func Open(s Source, other func(head []byte) error) (*Archive, error) {
	head := make([]byte, 64)
	n, err := s.Reader.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, s.caused(err)
	}
	head = head[:min(int64(n), max(s.Size, 0))]
	switch {
	case len(head) == 0:
		return nil, s.fail(fileerr.ErrTruncated, 0, "an empty file")
	case !Begins(head):
		return nil, other(head)
	}
	return New(s)
}

// Begins reports whether a file with these first bytes is an archive. It also returns
// true if the file may be an archive that was truncated within its first four bytes, but
// a single byte is not enough.
func Begins(head []byte) bool {
	for _, magic := range []string{"PK\x03\x04", "PK\x05\x06"} { // start of an entry, and of the end record
		n := min(len(head), len(magic))
		if n > 1 && bytes.HasPrefix(head, []byte(magic[:n])) {
			return true
		}
	}
	return false
}

// New is like Open, for a file for which [Begins] returns true.
func New(s Source) (*Archive, error) {
	s.Reader = inside{s.Reader}
	z, err := zip.NewReader(s.Reader, s.Size)
	switch {
	case err == nil:
	case errors.Is(err, zip.ErrFormat) || ended(err): // zip's errors if the end of the archive is missing
		return nil, s.fail(fileerr.ErrTruncated, s.Size,
			"a damaged zip archive: the end of the file, which holds the central directory, is missing")
	case kindOf(err) == nil:
		return nil, s.caused(err)
	default:
		return nil, s.fail(kindOf(err), s.Size, "a damaged zip archive: %v", err)
	}
	if len(z.File) == 0 && !s.Arrays {
		return nil, s.fail(fileerr.ErrFormat, s.Size, "a zip archive without entries")
	}
	return &Archive{Source: s, Files: z.File}, nil
}

// inside reads a file. A damaged directory may point to a position before the start of
// the file; for such a position inside returns its own error, because the error of
// package os would look like a system error.
type inside struct{ io.ReaderAt }

// ReadAt implements io.ReaderAt.
func (r inside) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errBefore
	}
	return r.ReaderAt.ReadAt(b, at)
}

var errBefore = errors.New("the directory points before the start of the file")

// Where returns the position for an error about an entry: the start of the entry's data.
// If the data cannot be found, the directory is wrong, and Where returns the end of the
// file.
func (a *Archive) Where(f *zip.File) int64 {
	at, err := f.DataOffset()
	if err != nil {
		return a.Size
	}
	return min(max(at, 0), a.Size)
}

// Fail returns an error of the given kind about an entry.
func (a *Archive) Fail(f *zip.File, kind error, text string, args ...any) *fileerr.Error {
	if !a.Arrays {
		return a.fail(kind, a.Where(f), text, args...)
	}
	e := a.fail(kind, fileerr.NoOffset, text, args...)
	e.Tensor = f.Name
	if a.key != nil {
		e.Tensor, _ = a.key(f.Name)
	}
	return e
}

// damaged returns the error for an entry that cannot be read because of err.
func (a *Archive) damaged(f *zip.File, err error) *fileerr.Error {
	var e *fileerr.Error
	if errors.As(err, &e) {
		return e
	}
	kind := kindOf(err)
	if kind == nil {
		return a.caused(err)
	}
	e = a.Fail(f, kind, "a damaged archive")
	if !a.Arrays {
		e.Detail = a.entry(f)
	}
	e.Err = err
	return e
}

// entry returns the name of an entry for use in a message. For an array it returns "it",
// because the error already names the array.
func (a *Archive) entry(f *zip.File) string {
	if a.Arrays {
		return "it"
	}
	return fmt.Sprintf("entry %.80q", f.Name)
}

func (s *Source) fail(kind error, offset int64, text string, args ...any) *fileerr.Error {
	return &fileerr.Error{
		Format: s.Format, Path: s.Path, Offset: offset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

func (s *Source) caused(err error) *fileerr.Error {
	return &fileerr.Error{Format: s.Format, Path: s.Path, Offset: fileerr.NoOffset, Kind: kindOf(err), Err: err}
}

// kindOf returns the kind of an error of package zip, or nil for a system error.
func kindOf(err error) error {
	switch {
	case errors.As(err, new(*fs.PathError)):
		return nil
	case ended(err):
		return fileerr.ErrTruncated
	case errors.Is(err, zip.ErrAlgorithm):
		return fileerr.ErrUnsupported
	}
	return fileerr.ErrFormat
}

func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
