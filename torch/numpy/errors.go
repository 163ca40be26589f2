package numpy

import (
	"errors"
	"fmt"
	"io"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// FileError says which file, which array of an archive and which byte was wrong, and how.
// Other packages that read files of tensors have the same type.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A file that is not there is fs.ErrNotExist.
var (
	ErrFormat      = fileerr.ErrFormat      // not a file of NumPy's, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated   // the file ends before its header or its numbers do
	ErrUnsupported = fileerr.ErrUnsupported // an array that no tensor can hold, or a large one, see MaxInflated
	ErrNotFound    = fileerr.ErrNotFound    // the archive has no array of that name
)

// place is what errors say of where something was read or written.
type place struct {
	format string // "npy", or "npz" for an array of an archive
	path   string
	name   string // of the array in an archive
}

// fault is a FileError at a byte. Those of an array in an archive have none: it may be
// compressed.
func (p place) fault(kind error, offset int64, format string, args ...any) *FileError {
	if p.format == formatNpz && p.name != "" {
		offset = fileerr.NoOffset
	}
	return &FileError{Format: p.format, Path: p.path, Tensor: p.name, Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// caused is a FileError with what is behind it.
func (p place) caused(kind error, detail string, err error) *FileError {
	return &FileError{Format: p.format, Path: p.path, Tensor: p.name, Offset: fileerr.NoOffset, Kind: kind, Detail: detail, Err: err}
}

const (
	formatNpy = "npy"
	formatNpz = "npz"
)

// ended reports whether a reader had no more to give.
func ended(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
