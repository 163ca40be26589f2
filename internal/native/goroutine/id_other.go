//go:build !amd64 && !arm64

package goroutine

import (
	"bytes"
	"runtime"
	"strconv"
)

// id parses the goroutine ID from a stack header. It is slow (about a microsecond)
// but works on every architecture.
func id() uintptr {
	var buf [64]byte
	b := buf[len("goroutine "):runtime.Stack(buf[:], false)]
	if i := bytes.IndexByte(b, ' '); i >= 0 {
		b = b[:i]
	}
	n, err := strconv.ParseUint(string(b), 10, 64)
	if err != nil {
		panic("goroutine: cannot read the goroutine ID: " + err.Error())
	}
	return uintptr(n)
}
