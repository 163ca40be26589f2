// Package wholefile writes files that are there complete or not at all.
package wholefile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write has write fill a file, and puts it at path once it is complete: whatever was there
// before stays until then, and if something goes wrong. The writer is buffered. The file
// may be read by everybody. Errors of the system name path, not the file that is written
// until then.
func Write(path string, write func(w io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		var e *fs.PathError
		if errors.As(err, &e) {
			err = &fs.PathError{Op: "create", Path: path, Err: e.Err}
		}
		return err
	}
	defer func() {
		var e *fs.PathError
		if errors.As(err, &e) && e.Path == f.Name() {
			e.Path = path
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	done := false
	defer func() { // also if write panics
		if !done {
			_ = f.Close()
			_ = os.Remove(f.Name()) // the first error counts
		}
	}()
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		var e *os.LinkError
		if errors.As(err, &e) {
			err = &fs.PathError{Op: "create", Path: path, Err: e.Err}
		}
		return err
	}
	done = true
	return nil
}
