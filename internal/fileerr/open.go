package fileerr

import (
	"io/fs"
	"os"
	"syscall"
)

// Open opens a file of a format to be read and says how many bytes it has. Anything else
// than a regular file is ErrFormat, and is not opened: a pipe would wait for whoever writes.
func Open(format, path string) (*os.File, int64, error) {
	fail := func(err error) (*os.File, int64, error) {
		return nil, 0, &Error{Format: format, Path: path, Offset: NoOffset, Err: err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return fail(err)
	}
	other := func() *Error {
		return &Error{Format: format, Path: path, Offset: NoOffset, Kind: ErrFormat, Detail: "expected a file, got " + kindOf(info.Mode())}
	}
	if !info.Mode().IsRegular() {
		return nil, 0, other()
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may have come in its place
	if err != nil {
		return fail(err)
	}
	if info, err = f.Stat(); err != nil {
		_ = f.Close() // the first error counts
		return fail(err)
	}
	if !info.Mode().IsRegular() {
		_ = f.Close() // nothing was read
		return nil, 0, other()
	}
	return f, info.Size(), nil
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
