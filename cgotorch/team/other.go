//go:build !linux

package team

// Active reports whether the team runs libtorch's parallel regions. The team is available
// only on Linux.
func Active() bool { return false }
