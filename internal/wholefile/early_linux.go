package wholefile

import (
	"os"
	"syscall"
)

// begin has the system begin to write a part of a file to the disk, and waits for nothing.
// It promises nothing either, so its errors do not count: without SYNC_FILE_RANGE_WAIT_*
// the call takes no error of the disk away from the sync that comes at the end.
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
