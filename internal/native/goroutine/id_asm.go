//go:build amd64 || arm64

package goroutine

// id returns the address of the runtime's g, which never moves. It reads the
// register or thread-local slot in which the runtime keeps it and looks no
// further, so no field offset of a Go version is baked in.
func id() uintptr
