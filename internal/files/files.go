// Package files opens files to be read. All readers of the library use it, so that none waits
// for whoever writes into a pipe, or reads a device that does not end.
package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// NotRegularError is the error of a path that leads to something other than a regular file.
type NotRegularError struct {
	Path string
	Kind string // such as "a pipe"
}

// Error returns "PATH: expected a file, got a pipe".
func (e *NotRegularError) Error() string { return e.Path + ": " + e.Detail() }

// Detail is the error's text without the path.
func (e *NotRegularError) Detail() string { return "expected a file, got " + e.Kind }

// Open opens a regular file, or a link to one, and returns its size. The error of anything
// else is a [*NotRegularError]; it is not opened. Other errors are the system's.
func Open(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &NotRegularError{path, kindOf(info.Mode())}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may have come in its place
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{path, kindOf(info.Mode())}
	}
	if err != nil {
		_ = f.Close() // nothing was read
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// TooLargeError is the error of a file of more bytes than a reader takes.
type TooLargeError struct {
	Path       string
	Size, Most int64
}

// Error returns "PATH: 5 bytes, more than 4".
func (e *TooLargeError) Error() string { return e.Path + ": " + e.Detail() }

// Detail is the error's text without the path.
func (e *TooLargeError) Detail() string { return fmt.Sprintf("%d bytes, more than %d", e.Size, e.Most) }

// Read returns the bytes of a regular file of at most most bytes. Errors are those of [Open],
// and [*TooLargeError].
func Read(path string, most int64) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if size > most {
		return nil, &TooLargeError{path, size, most}
	}
	b := make([]byte, size)
	n, err := io.ReadFull(f, b)
	if err == io.EOF || err == io.ErrUnexpectedEOF { //nolint:errorlint // io.ReadFull's own; it got shorter meanwhile
		err = nil
	}
	return b[:n], err
}

// kindOf says what is no regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something of mode " + mode.String()
}
