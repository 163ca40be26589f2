package dcp

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"syscall"

	"github.com/gotorch/gotorch/internal/plain"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// report is an error, encoded to be sent to another rank.
type report struct {
	Text  string
	Signs []int
	File  *fileReport  // set if the error is a *FileError
	Torch *torchReport // set if the error is a *torch.Error
}

type fileReport struct {
	Format, Path, Tensor string
	Offset               int64
	Detail, Cause        string
}

// mostArgs is the maximum number of arguments that an error of another rank lists.
const mostArgs = 20

type torchReport struct {
	Op, Message, Layer, Remedy string
	Args                       []string
}

var (
	fileKinds = []error{
		torch.ErrFormat, torch.ErrTruncated, torch.ErrUnsupported, torch.ErrMismatch,
		torch.ErrNotFound, serialization.ErrUnsafe,
	}
	torchKinds = []error{
		torch.ErrRuntime, torch.ErrShape, torch.ErrDType, torch.ErrDevice, torch.ErrIndex, torch.ErrValue,
		torch.ErrType,
		torch.ErrNil, torch.ErrClosed, torch.ErrOutOfMemory, torch.ErrNotImplemented, torch.ErrLinAlg,
		torch.ErrAutograd,
	}
	// errorTargets are kinds of errors. If errors.Is reports one of them for an error, it still
	// does so after the error was sent to another rank.
	errorTargets = slices.Concat(fileKinds, torchKinds, []error{
		fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, context.Canceled, context.DeadlineExceeded,
		syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EROFS, syscall.EIO,
	})
)

// reportOf returns the report of an error. It returns nil for nil.
func reportOf(err error) *report {
	if err == nil {
		return nil
	}
	r := &report{Text: err.Error()}
	for i, sign := range errorTargets {
		if errors.Is(err, sign) {
			r.Signs = append(r.Signs, i)
		}
	}
	var fe *torch.FileError
	var te *torch.Error
	switch {
	case errors.As(err, &fe):
		r.File = &fileReport{Format: fe.Format, Path: fe.Path, Tensor: fe.Tensor, Offset: fe.Offset, Detail: fe.Detail}
		if fe.Err != nil {
			r.File.Cause = fe.Err.Error()
		}
	case errors.As(err, &te):
		r.Torch = &torchReport{Op: te.Op, Message: te.Message, Layer: te.Layer, Remedy: te.Remedy, Args: te.Args}
	}
	return r
}

// error returns the error of a report. Its texts are from another rank, so they are shortened, and
// control characters are escaped.
func (r *report) error() error {
	text := plain.Message
	far := &remoteError{text: text(r.Text)}
	for _, i := range r.Signs {
		if i >= 0 && i < len(errorTargets) {
			far.targets = append(far.targets, errorTargets[i])
		}
	}
	switch {
	case r.File != nil:
		e := &torch.FileError{
			Format: text(r.File.Format), Path: text(r.File.Path), Tensor: r.File.Tensor, Offset: r.File.Offset,
			Detail: text(r.File.Detail), Kind: far.firstKind(fileKinds),
		}
		if r.File.Cause != "" {
			far.text = text(r.File.Cause)
			e.Err = far
		}
		return e
	case r.Torch != nil:
		e := &torch.Error{
			Op: text(r.Torch.Op), Kind: far.firstKind(torchKinds), Message: text(r.Torch.Message),
			Layer: text(r.Torch.Layer), Remedy: text(r.Torch.Remedy),
		}
		for _, a := range r.Torch.Args[:min(len(r.Torch.Args), mostArgs)] {
			e.Args = append(e.Args, text(a))
		}
		return e
	}
	return far
}

// remoteError is an error of another rank.
type remoteError struct {
	text    string
	targets []error
}

// Error returns the text of the other rank's error.
func (e *remoteError) Error() string { return e.text }

// Is reports whether errors.Is(err, target) was true for the other rank's error.
func (e *remoteError) Is(target error) bool { return slices.Contains(e.targets, target) }

// firstKind returns the first of kinds that the error has, or nil.
func (e *remoteError) firstKind(kinds []error) error {
	for _, k := range kinds {
		if e.Is(k) {
			return k
		}
	}
	return nil
}
