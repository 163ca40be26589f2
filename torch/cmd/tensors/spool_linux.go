package main

import (
	"fmt"
	"io"
	"os"
)

// spool copies its input to a file, because the formats need random access. The file has
// no name, so it disappears with the process.
func spool(r io.Reader) (path string, done func(), err error) {
	f, err := os.CreateTemp("", "tensors-")
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = f.Close() }
	if err = os.Remove(f.Name()); err == nil {
		_, err = io.Copy(f, r)
	}
	if err != nil {
		done()
		return "", nil, fmt.Errorf("standard input: %w", err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", f.Fd()), done, nil
}
