package safetensors

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// FileError says which file, which tensor in it and which byte was wrong, and how. Other
// packages that read files of tensors have the same type.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A file that is not there is fs.ErrNotExist.
var (
	ErrFormat      = fileerr.ErrFormat      // not a safetensors file, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated   // the file ends before its header or its tensors do
	ErrMismatch    = fileerr.ErrMismatch    // an index and its files say different things
	ErrUnsupported = fileerr.ErrUnsupported // a dtype that libtorch does not have
	ErrNotFound    = fileerr.ErrNotFound    // there is no tensor of that name
)

// formatName is what errors call the format.
const formatName = "safetensors"

// fault is a FileError of this format at a byte of the file.
func fault(path string, kind error, offset int64, format string, args ...any) *FileError {
	return &FileError{Format: formatName, Path: path, Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// of says which tensor an error is about.
func of(tensor string, e *FileError) *FileError {
	e.Tensor = tensor
	return e
}

// ioFault is an error of the system.
func ioFault(path, detail string, err error) *FileError {
	return &FileError{Format: formatName, Path: path, Offset: fileerr.NoOffset, Detail: detail, Err: err}
}
