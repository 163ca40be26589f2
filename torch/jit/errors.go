package jit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/pickle"
	"github.com/gotorch/gotorch/torch"
)

// format is the name of the file format in error messages.
const format = "torchscript"

func (a *archive) fail(kind error, offset int64, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: a.path, Offset: offset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

// wrap converts an error to a *FileError, except a *torch.Error that does not concern the
// file.
func (a *archive) wrap(detail string, err error) error {
	if err == nil {
		return nil
	}
	var fe *torch.FileError
	if errors.As(err, &fe) {
		return fe
	}
	out := &torch.FileError{Format: format, Path: a.path, Offset: fileerr.NoOffset, Detail: detail, Err: err}
	var pe *pickle.Error
	var te *torch.Error
	switch {
	case errors.As(err, &pe):
		out.Kind, out.Offset, out.Detail, out.Err = torch.ErrFormat, pe.Offset, detail+": "+pe.Message, pe.Err
		if errors.As(pe.Err, &fe) {
			return fe
		}
	case errors.As(err, &te):
		out.Kind = kindOf(te)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		out.Kind = torch.ErrTruncated
	case errors.As(err, new(*fs.PathError)):
	default:
		out.Kind = torch.ErrFormat
	}
	return out
}

// unsupported lists parts of the messages with which libtorch refuses valid archives
// because it lacks a feature.
var unsupported = []string{
	"unknown builtin op", "unknown type name", "higher than the maximum supported",
	"no such operator", "was not found", "is not registered", "not supported",
}

// kindOf returns the kind for a *FileError that wraps an error of libtorch.
func kindOf(e *torch.Error) error {
	if errors.Is(e, torch.ErrDevice) || errors.Is(e, torch.ErrOutOfMemory) {
		return nil // the device or the memory is the cause, not the file
	}
	text := strings.ToLower(e.Trace())
	for _, w := range unsupported {
		if strings.Contains(text, w) {
			return torch.ErrUnsupported
		}
	}
	return torch.ErrFormat
}
