//go:build !amd64 && !arm64

package trace

// callers is not available here, so every stack is looked up by its calls.
func callers([]uintptr) int { return -1 }
