package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockName is the name of the file that a Manager locks. The file contains the process ID.
// The system releases the lock when the process ends or executes another program.
const lockName = "LOCK"

func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec // as the checkpoints beside it
	if err != nil {
		return nil, writeError(path, err)
	}
	number := int(f.Fd()) //nolint:gosec // a file's number
	if err := syscall.Flock(number, syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, writeError(path, err)
		}
		// an error does not matter, because the ID is only for the error message
		holder, _ := io.ReadAll(io.LimitReader(f, 32))
		e := fileError(path, ErrLocked, "%v", ErrLocked)
		if pid := strings.TrimSpace(string(holder)); pid != "" {
			e.Detail += ": process " + pid
		}
		return nil, e
	}
	if f.Truncate(0) == nil { // on a full disk the ID cannot be written, but the lock still works
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}
