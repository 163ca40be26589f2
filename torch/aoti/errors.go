package aoti

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/fileerr"
)

// FileError reports which file could not be loaded, and why. It wraps a *torch.Error if
// libtorch refused the library.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A missing file is fs.ErrNotExist.
var (
	ErrFormat      = fileerr.ErrFormat      // not an AOTInductor package, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated   // a file that ends too early
	ErrNotFound    = fileerr.ErrNotFound    // no model of the [ModelName]
	ErrUnsupported = fileerr.ErrUnsupported // not compiled, or compiled for another machine or an incompatible version
)

// format is the name of the format in errors.
const format = "pt2"

// fail returns a FileError without a byte.
func fail(path string, kind error, text string, args ...any) *FileError {
	return &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: fmt.Sprintf(text, args...)}
}

// because is fail with a cause.
func because(path string, kind, err error, detail string) *FileError {
	return &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: detail, Err: err}
}
