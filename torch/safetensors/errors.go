package safetensors

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// FileError reports what was wrong with which file, which of its tensors and which byte.
// Other packages that read files of tensors share the type.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A missing file is fs.ErrNotExist.
var (
	ErrFormat      = fileerr.ErrFormat      // not a safetensors file, or damaged
	ErrTruncated   = fileerr.ErrTruncated   // the file ends before its header or its tensors do
	ErrMismatch    = fileerr.ErrMismatch    // an index and its files disagree
	ErrUnsupported = fileerr.ErrUnsupported // a dtype that libtorch does not have
	ErrNotFound    = fileerr.ErrNotFound    // there is no tensor of that name
)

// formatName is the name of the format in errors.
const formatName = "safetensors"

// fault returns a FileError of this format at a byte of the file.
func fault(path string, kind error, offset int64, format string, args ...any) *FileError {
	return &FileError{Format: formatName, Path: path, Offset: offset, Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// of adds the tensor to an error.
func of(tensor string, e *FileError) *FileError {
	e.Tensor = tensor
	return e
}

// ioFault returns an error of the system.
func ioFault(path, detail string, err error) *FileError {
	return &FileError{Format: formatName, Path: path, Offset: fileerr.NoOffset, Detail: detail, Err: err}
}
