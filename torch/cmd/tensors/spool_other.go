//go:build !linux

package main

import (
	"fmt"
	"io"
	"os"
)

// spool copies its input to a file, because the formats need random access. The file
// remains if the process is killed.
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
