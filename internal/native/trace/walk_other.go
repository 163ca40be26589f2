//go:build !amd64 && !arm64

package trace

// callers is not available on this architecture, so capture looks up every stack.
func callers([]uintptr) int { return -1 }
