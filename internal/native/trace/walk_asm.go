//go:build amd64 || arm64

package trace

import "github.com/gotorch/gotorch/internal/native/goroutine"

// walk fills buf, of length most, with the return addresses on the stack of gp, which is the
// running goroutine, innermost first, by following frame pointers. It returns
// how many there are, or -1 if the chain leaves the stack, as it does where C
// has called Go.
//
//go:noescape
func walk(buf *uintptr, most int, gp uintptr) int

// callers is walk for the running goroutine. Unlike runtime.Callers it knows
// nothing of inlined calls and takes a few nanoseconds: it tells stacks apart,
// and does not name their calls.
func callers(buf []uintptr) int { return walk(&buf[0], len(buf), goroutine.ID()) }
