//go:build amd64 || arm64

package goroutine

// id returns the address of the runtime's g, which never moves. It reads the register or
// thread-local slot in which the runtime keeps the address. It uses no field offsets,
// which could change between Go versions.
func id() uintptr
