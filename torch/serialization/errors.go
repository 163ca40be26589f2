package serialization

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
)

// ErrUnsafe is a kind of [*torch.FileError] that only this package has. Use errors.Is to
// check for it.
var (
	ErrUnsafe = errors.New("a class or function that is not allowed")
)

// RefusedError describes a Python class or function that a file names but that is not on
// the allowed list. It says what Python would have done with it.
type RefusedError struct {
	Global string // such as "os.system"
	// the call in Python's syntax, such as `os.system('rm -rf /')`; empty if the file does
	// not call it
	Call   string
	Offset int64 // offset of the name in the file, or in the pickle if the pickle is compressed
}

// Error returns a string such as "torch.load would call os.system('...')".
func (e *RefusedError) Error() string {
	if e.Call == "" {
		return "torch.load(weights_only=False) would import " + plain.Short(e.Global)
	}
	return "torch.load(weights_only=False) would call " + e.Call
}

// Is reports whether target is [ErrUnsafe].
func (e *RefusedError) Is(target error) bool { return target == ErrUnsafe }

// format is the name of the file format in error messages.
const format = "pt"

func (f *file) fail(kind error, offset int64, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: f.path, Offset: offset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

// wrap converts an error to a *FileError, except an error that is a *torch.Error.
func (f *file) wrap(err error) error {
	if err == nil {
		return nil
	}
	var fe *torch.FileError
	if errors.As(err, &fe) {
		if fe.Path == "" {
			fe.Path = f.path
		}
		return fe
	}
	out := &torch.FileError{Format: format, Path: f.path, Offset: fileerr.NoOffset, Err: err}
	var pe *pickle.Error
	var te *torch.Error
	switch {
	case errors.As(err, &pe):
		out.Offset, out.Kind, out.Detail, out.Err = pe.Offset, torch.ErrFormat, pe.Message, pe.Err
		var refused *RefusedError
		var kind *kindError
		switch {
		case errors.As(pe.Err, &refused):
			out.Kind, out.Offset = ErrUnsafe, refused.Offset
		case errors.As(pe.Err, &kind):
			out.Kind, out.Err = kind.kind, nil
		case pe.Message == endsEarly && pe.Err == nil:
			out.Kind = torch.ErrTruncated
		case pe.Err != nil:
			out.Kind = kindOfRead(pe.Err)
		}
	case errors.As(err, &te):
		out.Kind = torch.ErrFormat
		if errors.Is(te, torch.ErrDevice) || errors.Is(te, torch.ErrOutOfMemory) {
			out.Kind = nil
		}
	default:
		out.Kind = kindOfRead(err)
	}
	return out
}

// notAllowed is the error text for a name that is not on the list of allowed names.
const notAllowed = "a class or function that is not on the list of safe ones (Opaque(true) loads only its name)"

// endsEarly is package pickle's error text for a pickle that ends too early.
const endsEarly = "the pickle ends too early"

func kindOfRead(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return torch.ErrTruncated
	case errors.As(err, new(*fs.PathError)):
		return nil
	}
	return torch.ErrFormat
}

// kindError gives an error of package pickle a kind other than ErrFormat.
type kindError struct{ kind error }

// Error returns the text of the kind.
func (e *kindError) Error() string { return e.kind.Error() }
