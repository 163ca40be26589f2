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

// These are additional kinds of [*torch.FileError]. Use errors.Is to check for them.
var (
	// another Manager, of this process or of a different process
	ErrLocked   = errors.New("another Manager uses this folder")
	ErrNoSpace  = errors.New("no space left") // for example a full disk, a quota or a limit on file sizes
	ErrReadOnly = errors.New("not writable")  // for example a read-only file system or directory
)

// format is the name of the file format in error messages.
const format = "checkpoint"

func fileError(path string, kind error, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: path, Offset: fileerr.NoOffset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

// writeError converts a write error to a *torch.FileError. It does not convert an error
// of package torch, because such an error is about the state and not about the file.
func writeError(path string, err error) error {
	if te := (*torch.Error)(nil); err == nil || errors.As(err, &te) {
		return err
	}
	e := &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		e.Kind = ErrNoSpace
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		e.Kind = ErrReadOnly
	}
	return e
}

// readError converts an error from reading the file at path to a *torch.FileError. It
// does not convert a *torch.Error.
func readError(path string, err error) error {
	var fe *torch.FileError
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
	e := &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		e.Kind = torch.ErrTruncated
	}
	return e
}

// isDamaged reports whether a read error is caused by the file's contents, not by the
// program or the machine.
func isDamaged(err error) bool {
	fe := (*torch.FileError)(nil)
	return errors.As(err, &fe) && fe.Kind != nil && !errors.Is(fe, torch.ErrUnsupported) &&
		!errors.Is(fe, torch.ErrMismatch)
}

// partError is an error of a part, together with the part's name. It hides fs.ErrNotExist,
// because programs check for fs.ErrNotExist to learn whether there is a checkpoint.
type partError struct {
	where string
	err   error
}

// Error names the part.
func (e *partError) Error() string { return e.where + e.err.Error() }

// Is implements errors.Is with the part's error.
func (e *partError) Is(target error) bool {
	return target != fs.ErrNotExist && errors.Is(e.err, target)
}

// As implements errors.As with the part's error.
func (e *partError) As(target any) bool { return errors.As(e.err, target) }
