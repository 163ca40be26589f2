//go:build !amd64 && !arm64

package trace

// callers is not to be had here: every stack is looked up by its calls.
func callers([]uintptr) int { return -1 }
