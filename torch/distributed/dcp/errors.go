package dcp

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/torch"
)

// format is the name of the format in errors.
const format = "dcp"

// Error is a failure on one or more ranks of a group. Every rank gets an Error with the
// same failures, and errors.Is and errors.As search all of them.
type Error struct {
	Op       string // such as "dcp.Save"
	Rank     int    // the global rank of this process
	Failures []Failure
}

// Failure is the failure of one rank.
type Failure struct {
	Rank int // the global rank
	// Err is a [*torch.FileError] about a file or a value, or a [*torch.Error] about an argument.
	// For another rank's failure it has only the text, the file and the kinds of that rank's error.
	Err error
}

// Error returns what failed on which rank.
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

// fileError returns an error about a file or its contents.
func fileError(path, name string, kind error, text string, args ...any) *torch.FileError {
	return &torch.FileError{
		Format: format, Path: path, Tensor: name, Offset: fileerr.NoOffset, Kind: kind,
		Detail: fmt.Sprintf(text, args...),
	}
}

// systemError converts an error of a file to a *FileError. Errors of package torch are returned
// unchanged, because they are about the state.
func systemError(path string, err error) error {
	if err == nil || errors.As(err, new(*torch.FileError)) || errors.As(err, new(*torch.Error)) {
		return err
	}
	return &torch.FileError{Format: format, Path: path, Offset: fileerr.NoOffset, Err: err}
}
