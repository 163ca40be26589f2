package wholefile

import (
	"os"
	"syscall"
)

// begin asks the system to start writing a part of a file to the disk, without waiting.
// It ignores errors: without SYNC_FILE_RANGE_WAIT_* the call does not consume disk
// errors, so the sync at the end reports them.
func begin(f *os.File, from, n int64) {
	const syncFileRangeWrite = 2
	c, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) {
		_ = syscall.SyncFileRange(int(fd), from, n, syncFileRangeWrite) //nolint:gosec // descriptors are small
	})
}
