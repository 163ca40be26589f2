package main

import (
	"fmt"
	"io"
	"os"
)

// spool writes what is read to a file, since formats are read from several places. The file
// has no name, so that it goes with the process, whatever ends that.
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
