package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// FileError says which file could not be written or read, and why. Other packages of
// files have the same type.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A folder without checkpoints is fs.ErrNotExist.
var (
	ErrFormat      = fileerr.ErrFormat      // no checkpoint, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated   // a file that ends too early
	ErrUnsupported = fileerr.ErrUnsupported // a later version of the format
	ErrMismatch    = fileerr.ErrMismatch    // a good file, of another program: a part is of another kind or shape
	ErrNotFound    = fileerr.ErrNotFound    // a good file that lacks a part

	ErrLocked   = errors.New("another Manager has this folder") // of this process or another one
	ErrNoSpace  = errors.New("no space left")                   // the disk, a quota or a limit on files is full
	ErrReadOnly = errors.New("may not be written to")           // a file system or folder that is read-only, or somebody else's
)

// format is what errors call the format.
const format = "checkpoint"

func fault(path string, kind error, text string, args ...any) *FileError {
	return &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind, Detail: fmt.Sprintf(text, args...)}
}

// writing makes the error of a write, of any but one of package torch: those are about
// what should be saved.
func writing(path string, err error) error {
	if te := (*torch.Error)(nil); err == nil || errors.As(err, &te) {
		return err
	}
	e := &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		e.Kind = ErrNoSpace
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		e.Kind = ErrReadOnly
	}
	return e
}

// reading makes the error of a read.
func reading(path string, err error) error {
	var fe *FileError
	var te *torch.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fe):
		if fe.Path == "" {
			fe.Path = path
		}
		return fe
	case errors.As(err, &te):
		return te
	}
	e := &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Kind = ErrTruncated
	}
	return e
}

// damaged reports whether an error of reading a file blames its bytes, and neither the
// program that reads it nor the machine.
func damaged(err error) bool {
	fe := (*FileError)(nil)
	return errors.As(err, &fe) && fe.Kind != nil && !errors.Is(fe, ErrUnsupported) && !errors.Is(fe, ErrMismatch)
}

// partError is what a part said, and which part it was. fs.ErrNotExist within it is that of
// another file: a program that asks for it wants to know whether there is a checkpoint.
type partError struct {
	where string
	err   error
}

// Error names the part.
func (e *partError) Error() string { return e.where + e.err.Error() }

// Is is errors.Is for the part's error.
func (e *partError) Is(target error) bool {
	return target != fs.ErrNotExist && errors.Is(e.err, target)
}

// As is errors.As for the part's error.
func (e *partError) As(target any) bool { return errors.As(e.err, target) }
