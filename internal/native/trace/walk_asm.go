//go:build amd64 || arm64

package trace

import "github.com/gotorch/gotorch/internal/native/goroutine"

// walk fills buf, of length most, with the return addresses on the stack of gp, which is
// the running goroutine, innermost first. It follows frame pointers. It returns the
// number of addresses, or -1 if the chain leaves the stack, as it does if C has called
// Go.
//
//go:noescape
func walk(buf *uintptr, most int, gp uintptr) int

// callers is walk for the running goroutine. Unlike runtime.Callers it does not know
// inlined calls, and it takes only a few nanoseconds. It distinguishes stacks but does
// not name their calls.
func callers(buf []uintptr) int { return walk(&buf[0], len(buf), goroutine.ID()) }
