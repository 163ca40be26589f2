package data

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gotorch/gotorch/internal/fileerr"
	"github.com/gotorch/gotorch/internal/files"
	"github.com/gotorch/gotorch/torch"
)

// FileError reports which file could not be read, and why. Decoders and other user
// functions may return a FileError and set only the fields that they know. Other packages
// that read files return a [torch.FileError], which is a different type.
type FileError struct {
	Path string
	// torch.ErrFormat, torch.ErrTruncated or torch.ErrMismatch; nil if the system failed to
	// read the file
	Kind   error
	Detail string // what was found, and what was expected
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

// openError returns the error of a file that could not be opened.
func openError(path string, err error) *FileError {
	var other *files.NotRegularError
	var large *files.TooLargeError
	switch {
	case errors.As(err, &other):
		return &FileError{Path: path, Kind: torch.ErrFormat, Detail: other.Detail()}
	case errors.As(err, &large):
		return &FileError{Path: path, Kind: torch.ErrFormat, Detail: large.Detail()}
	}
	return &FileError{Path: path, Detail: "cannot be opened", Err: fileerr.WithoutPath(err)}
}

// ExampleError reports which example could not be loaded, and why. It is the cause of the
// *torch.Error that a loader's loop panics with; use errors.As to get it. It wraps the
// error that the dataset returned, or the value that it panicked with.
type ExampleError struct {
	// Index is the index of the example. For an iterable dataset, it is the number of
	// examples that the worker had yielded before. It is -1 if the error is about the whole
	// batch.
	Index  int64
	Batch  int // the batch of the example, as [Batch] counts them
	Worker int // the worker that made the batch; -1 if the loader has no workers
	// Err is the error that the dataset or a function of the loader returned or panicked
	// with. After a panic with a value that is not a *torch.Error, Err is a *PanicError.
	Err error
}

// Error returns "data: example 7 (worker 1): what was wrong", or "batch 3" instead of the
// example if the error is about the whole batch.
func (e *ExampleError) Error() string {
	what := fmt.Sprintf("batch %d", e.Batch)
	if e.Index >= 0 {
		what = fmt.Sprintf("example %d", e.Index)
	}
	if e.Worker >= 0 {
		what += fmt.Sprintf(" (worker %d)", e.Worker)
	}
	return "data: " + what + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *ExampleError) Unwrap() error { return e.Err }

// PanicError reports that a dataset, or a function that was passed to a loader, panicked
// with a value that is not a *torch.Error.
type PanicError struct {
	Value any    // the value of the panic
	Stack []byte // the call stack of the panic, as returned by debug.Stack
}

// Error returns "panic: " and the value.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// TimeoutError says that a worker took longer than the [Timeout] option allows. The loop
// panics with a *torch.Error that wraps it.
type TimeoutError struct {
	Worker int           // the worker that the loop waited for; -1 if it waited for any worker
	Batch  int           // the batch that the loop waited for, as [Batch] counts them
	Index  int64         // the example that the worker was loading; -1 if it was loading none
	After  time.Duration // how long the loop waited
}

// Error returns "data: worker 1 timed out after 2s at example 7 of batch 3".
func (e *TimeoutError) Error() string {
	who, what := "the workers", ""
	if e.Worker >= 0 {
		who = fmt.Sprintf("worker %d", e.Worker)
	}
	if e.Index >= 0 {
		what = fmt.Sprintf("example %d of ", e.Index)
	}
	return fmt.Sprintf("data: %s timed out after %v at %sbatch %d", who, e.After, what, e.Batch)
}

// Timeout returns true, as it does for errors of package net.
func (e *TimeoutError) Timeout() bool { return true }

// tryTo runs fn. If fn panics, it returns the panic as an error.
func tryTo(fn func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *torch.Error:
			err = p
		default:
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return fn()
}
