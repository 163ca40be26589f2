package dcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/serialization"
)

// FileError says which file of a checkpoint could not be written or read, which value it is
// about, and why. Other packages of files have the same type.
type FileError = fileerr.Error

// The kinds of FileError, for errors.Is. A folder without a checkpoint is fs.ErrNotExist, and
// one that may not be overwritten is fs.ErrExist.
var (
	ErrFormat      = fileerr.ErrFormat       // no checkpoint, or a damaged one
	ErrTruncated   = fileerr.ErrTruncated    // a file that ends too early
	ErrUnsupported = fileerr.ErrUnsupported  // compressed or sparse tensors, a later version
	ErrMismatch    = fileerr.ErrMismatch     // the ranks, or the state and the checkpoint, do not fit each other
	ErrNotFound    = fileerr.ErrNotFound     // a good checkpoint that lacks a value, or a part of a tensor
	ErrUnsafe      = serialization.ErrUnsafe // a value of a class that is not on the list of what may be loaded
)

// format is what errors call the format.
const format = "dcp"

// Error is a failure on one or more ranks of a group. Every rank gets it, with the same
// failures: errors.Is and errors.As look into all of them.
type Error struct {
	Op       string // such as "dcp.Save"
	Rank     int    // of this process, in the whole program
	Failures []Failure
}

// Failure is what went wrong on one rank.
type Failure struct {
	Rank int // in the whole program
	// Err is a [*FileError] if a file or a value is to blame and a [*torch.Error] for an
	// argument. That of another rank has its text, its file and its kinds, and no more.
	Err error
}

// Error says what failed on which rank.
func (e *Error) Error() string {
	const most = 8
	parts := make([]string, 0, most)
	for i, f := range e.Failures {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(e.Failures)-most))
			break
		}
		parts = append(parts, fmt.Sprintf("rank %d: %v", f.Rank, f.Err))
	}
	return e.Op + ": " + strings.Join(parts, "; ")
}

// Unwrap returns the errors of the ranks.
func (e *Error) Unwrap() []error {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = f.Err
	}
	return all
}

// fault is an error of a file, or of what is in it.
func fault(path, name string, kind error, text string, args ...any) *FileError {
	return &FileError{Format: format, Path: path, Tensor: name, Offset: fileerr.NoOffset, Kind: kind, Detail: fmt.Sprintf(text, args...)}
}

// system makes the error of a file of any but one of package torch: those are about what
// should be saved.
func system(path string, err error) error {
	if err == nil || errors.As(err, new(*FileError)) || errors.As(err, new(*torch.Error)) {
		return err
	}
	return &FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
}
