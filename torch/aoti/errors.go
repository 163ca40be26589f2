package aoti

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// FileError says which file could not be loaded, and why. errors.As finds in one a
// *torch.Error where libtorch refused the library.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A file that is not there is fs.ErrNotExist.
var (
	ErrFormat      = fileerr.ErrFormat      // no package of AOTInductor, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated   // a file that ends too early
	ErrNotFound    = fileerr.ErrNotFound    // no model of the name that [ModelName] says
	ErrUnsupported = fileerr.ErrUnsupported // not compiled, for another machine, or by a version that does not fit
)

// format is what errors call the format.
const format = "pt2"

// fail is a FileError that belongs to no byte.
func fail(path string, kind error, text string, args ...any) *FileError {
	return &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: fmt.Sprintf(text, args...)}
}

// because is fail with the error that led to it.
func because(path string, kind, err error, detail string) *FileError {
	return &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: detail, Err: err}
}
