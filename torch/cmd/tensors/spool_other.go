//go:build !linux

package main

import (
	"fmt"
	"io"
	"os"
)

// spool writes what is read to a file, since formats are read from several places. The file
// stays behind if the process is killed.
func spool(r io.Reader) (path string, done func(), err error) {
	f, err := os.CreateTemp("", "tensors-")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = os.Remove(f.Name()) }
	_, err = io.Copy(f, r)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		done()
		return "", nil, fmt.Errorf("standard input: %w", err)
	}
	return f.Name(), done, nil
}
