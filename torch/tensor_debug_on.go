//go:build gotorchdebug

package torch

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// The build tag gotorchdebug makes ownership mistakes show immediately, at a cost
// that only tests can afford: see docs/errors.md.

// place is the line of the program that closed a tensor or ended its scope.
type place struct{ at atomic.Pointer[string] }

// note records the calling line unless one is recorded already.
func (p *place) note() {
	if p.at.Load() != nil {
		return
	}
	if f, ok := trace.Site(trace.Frames(trace.Here(1))); ok {
		at := fmt.Sprintf("%s:%d", f.File, f.Line)
		p.at.CompareAndSwap(nil, &at)
	}
}

// in returns message with the place p added.
func (p *place) in(message string) string {
	at := p.at.Load()
	if at == nil {
		return message
	}
	what, help, _ := strings.Cut(message, ": ")
	if help != "" {
		help = ": " + help
	}
	return what + " at " + *at + help
}

// collectNow frees all unreachable tensors, including tensors whose handles the coming
// call uses although they were not passed to BeginRaw.
func collectNow() {
	runtime.GC()
	pacer.AwaitCleanups()
}
