package data

import "errors"

// The kinds of FileError, for errors.Is. A file that is not there is
// fs.ErrNotExist.
var (
	ErrFormat    = errors.New("data: not a file of the expected format")
	ErrTruncated = errors.New("data: file ends too early")
	ErrMismatch  = errors.New("data: files do not belong together")
)

// FileError says which file could not be read, and why.
type FileError struct {
	Path   string
	Kind   error  // ErrFormat, ErrTruncated or ErrMismatch; nil if the system could not read the file
	Detail string // what was found and what was expected
	Err    error  // the underlying error, if any
}

// Error returns "data: PATH: detail".
func (e *FileError) Error() string {
	s := "data: " + e.Path
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is the error's kind.
func (e *FileError) Is(target error) bool { return e.Kind != nil && target == e.Kind }

// Unwrap returns the underlying error.
func (e *FileError) Unwrap() error { return e.Err }
