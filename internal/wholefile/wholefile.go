// Package wholefile writes files that are there complete or not at all.
package wholefile

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// Write has write fill a file, and puts it at path once it is complete: whatever was there
// before stays until then, and if something goes wrong. The writer is buffered. The file
// may be read by everybody.
func Write(path string, write func(w io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
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
		return err
	}
	done = true
	return nil
}
