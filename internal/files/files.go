// Package files opens files for reading. All readers of the library use it, so that they
// neither wait for the writer of a pipe nor read an endless device.
package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// NotRegularError is the error for a path that is not a regular file.
type NotRegularError struct {
	Path string
	Kind string // such as "a pipe"
}

// Error returns "PATH: expected a file, got a pipe".
func (e *NotRegularError) Error() string { return e.Path + ": " + e.Detail() }

// Detail returns the error's text without the path.
func (e *NotRegularError) Detail() string { return "expected a file, got " + e.Kind }

// Open opens a regular file, or a link to one, and returns its size. For anything else it
// returns a [*NotRegularError] without opening it. Other errors come from the system.
func Open(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, &NotRegularError{path, kindOf(info.Mode())}
	}
	// O_NONBLOCK, because a pipe may have replaced the file since
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &NotRegularError{path, kindOf(info.Mode())}
	}
	if err != nil {
		_ = f.Close() // Nothing was read or written, so closing cannot fail.
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// TooLargeError is the error for a file with more bytes than allowed.
type TooLargeError struct {
	Path       string
	Size, Most int64
}

// Error returns "PATH: the file has 5 bytes, more than 4".
func (e *TooLargeError) Error() string { return e.Path + ": " + e.Detail() }

// Detail returns the error's text without the path.
func (e *TooLargeError) Detail() string {
	return fmt.Sprintf("the file has %d bytes, more than %d", e.Size, e.Most)
}

// Read returns the contents of a regular file. If the file is larger than most bytes,
// Read returns a [*TooLargeError]. It also returns the errors of [Open].
func Read(path string, most int64) ([]byte, error) {
	f, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // Nothing was written, so closing cannot fail.
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

// kindOf names the type of a file that is not regular.
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
