package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gotorch/gotorch/torch"
)

// lockName is the name of the file that a Manager locks. The file contains the process ID.
// The system releases the lock when the process ends or executes another program.
const lockName = "LOCK"

func lock(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	// The directory may come from someone else, so do not write to a file elsewhere.
	const flags = os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK
	f, err := os.OpenFile(path, flags, 0o644) //nolint:gosec // as the checkpoints beside it
	switch {
	case errors.Is(err, syscall.ELOOP):
		return nil, fileError(path, torch.ErrFormat, "expected a file, got a link")
	case err != nil:
		return nil, writeError(path, err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		if err != nil {
			return nil, writeError(path, err)
		}
		return nil, fileError(path, torch.ErrFormat, "expected a file, got something of mode %v", info.Mode())
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
		if pid, err := strconv.ParseUint(strings.TrimSpace(string(holder)), 10, 32); err == nil {
			e.Detail += fmt.Sprint(": process ", pid)
		}
		return nil, e
	}
	if f.Truncate(0) == nil { // on a full disk the ID cannot be written, but the lock still works
		_, _ = fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}
