//go:build amd64 || arm64

package trace

import "github.com/gotorch/gotorch/internal/native/goroutine"

// walk fills buf, which has length most, with the return addresses on the stack of gp,
// innermost first. gp must be the running goroutine. walk follows frame pointers. It
// returns the number of addresses, or -1 if the chain leaves the stack, as it does if C
// has called Go.
//
//go:noescape
func walk(buf *uintptr, most int, gp uintptr) int

// callers calls walk for the running goroutine. Unlike runtime.Callers it does not see
// inlined calls, and it takes only a few nanoseconds. It distinguishes stacks but does
// not name their calls.
func callers(buf []uintptr) int { return walk(&buf[0], len(buf), goroutine.ID()) }
