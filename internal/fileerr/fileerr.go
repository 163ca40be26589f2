// Package fileerr contains the error type of all packages that read and write tensor
// files. Package torch exports it, so that programs can handle damaged files of all
// formats in the same way.
package fileerr

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/gotorch/gotorch/internal/errkind"
	"github.com/gotorch/gotorch/internal/plain"
)

// These are the kinds of Error, for errors.Is. The error for a missing file is
// fs.ErrNotExist instead.
var (
	ErrFormat      = errkind.New("ErrFormat", "not a file of the expected format")
	ErrTruncated   = errkind.New("ErrTruncated", "unexpected end of file")
	ErrMismatch    = errkind.New("ErrMismatch", "files do not belong together")
	ErrUnsupported = errkind.New("ErrUnsupported", "not supported by libtorch")
	ErrNotFound    = errkind.New("ErrNotFound", "no tensor of this name")
)

// NoOffset is the Offset of an error that is not about a particular byte.
const NoOffset = -1

// Error describes what was wrong with a file, and which tensor and byte of it were
// affected.
type Error struct {
	Format string // the format of the file, such as "safetensors"
	Path   string // "" if the bytes were not read from a file
	Tensor string // the name of the tensor, "" if the error is not about a single tensor
	Offset int64  // position of the wrong byte in the file; NoOffset if there is none
	Kind   error  // one of the Err variables; nil if the system failed to read or write
	Detail string // what is wrong, such as what was found and what was expected
	Err    error  // the underlying error, if any
}

// Error returns "safetensors: PATH: tensor "x": byte 7: detail".
func (e *Error) Error() string {
	s := e.Format
	if e.Path != "" {
		s += ": " + e.Path
	}
	if e.Tensor != "" {
		s += ": tensor " + plain.Quote(e.Tensor)
	}
	if e.Offset >= 0 {
		s += fmt.Sprintf(": byte %d", e.Offset)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + WithoutPath(e.Err).Error()
	}
	return s
}

// Is reports whether target is the error's kind.
func (e *Error) Is(target error) bool { return e.Kind != nil && target == e.Kind }

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// WithoutPath removes the path from an error of package os, for messages that already
// contain the path.
func WithoutPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
