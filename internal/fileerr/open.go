package fileerr

import (
	"errors"
	"os"

	"github.com/gotorch/gotorch/internal/files"
)

// Open is like [files.Open], but returns an *Error of the given format. The kind is
// ErrFormat for anything that is not a regular file.
func Open(format, path string) (*os.File, int64, error) {
	f, size, err := files.Open(path)
	if err == nil {
		return f, size, nil
	}
	e := &Error{Format: format, Path: path, Offset: NoOffset, Err: err}
	var other *files.NotRegularError
	if errors.As(err, &other) {
		e.Kind, e.Detail, e.Err = ErrFormat, other.Detail(), nil
	}
	return nil, 0, e
}
