package docs_test

import (
	"runtime"
	"syscall"
	"testing"
)

// nobody makes the current thread access files as an unprivileged user, until the
// returned function is called. Only root calls nobody, because file modes do not restrict
// root.
func nobody(*testing.T) func() {
	user := func(uid uintptr) { _, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, uid, 0, 0) } // returns no error
	runtime.LockOSThread()
	user(65534)
	return func() {
		user(0)
		runtime.UnlockOSThread()
	}
}
