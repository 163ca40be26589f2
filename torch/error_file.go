package torch

import "github.com/gotorch/gotorch/internal/fileerr"

// FileError is the error of the packages that read and write tensor files: safetensors,
// serialization, numpy, jit, aoti, checkpoint and dcp. It names the file, the tensor and
// the byte that was wrong, and says what was wrong. For a file that does not exist,
// errors.Is reports fs.ErrNotExist.
type FileError = fileerr.Error

// These are the kinds of FileError, for errors.Is. Errors of package data have them
// too.
var (
	ErrFormat      = fileerr.ErrFormat      // not a file of the expected format, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated   // a file that ends too early
	ErrMismatch    = fileerr.ErrMismatch    // files that do not belong together, or a file that does not match a state
	ErrUnsupported = fileerr.ErrUnsupported // a valid file with contents that gotorch cannot read
	ErrNotFound    = fileerr.ErrNotFound    // a valid file that lacks the requested name
)
