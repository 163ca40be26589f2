// Package region records the named parts of a program while a profile is running: the
// regions of profiler.RecordFunction and the steps of optimizers. It does not depend on
// the profiler, so every package may mark its regions.
package region

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// Region is a named part of a program. It may be nil.
type Region struct {
	Name       string
	Start, End int64 // ns on the clock passed to Start; End is 0 until the region ends
	Lane       uintptr
	Stack      trace.ID
	Kind       Kind
	of         *list
}

// Kind is the kind of a region: a forward pass, or a part with a name.
type Kind uint8

// The kinds of regions.
const (
	User   Kind = iota // named by the program or by an optimizer
	Module             // a forward pass of a module
)

// recording is the current list; nil if regions are not recorded.
var recording atomic.Pointer[list]

type list struct {
	// These bound, in ns, how far the caller's clock is ahead of this package's clock.
	before, after int64
	mu            sync.Mutex
	regions       []*Region
	most          int  // number of regions to keep, 0 for all
	done          bool // whether the list was returned
}

// epoch is the start of this package's clock.
var epoch = time.Now()

func now() int64 { return int64(time.Since(epoch)) }

// On reports whether regions are recorded.
func On() bool { return recording.Load() != nil }

// Start starts a list of regions. clock returns monotonic time in ns. A region's start
// may be slightly early and its end slightly late, so that the region contains everything
// that runs inside it. If most is not 0, the list holds at most that many regions.
func Start(clock func() int64, most int) {
	l := &list{most: most}
	for i := range 5 { // use the shortest of five calls, because it gives the closest bounds
		from := now()
		c := clock()
		to := now()
		if before, after := c-to, c-from; i == 0 || after-before < l.after-l.before {
			l.before, l.after = before, after
		}
	}
	recording.Store(l)
}

// Stop ends the list and returns it, in the order in which regions began. A region that
// has not ended has an End of 0.
func Stop() []*Region {
	l := recording.Swap(nil)
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = true
	return l.regions
}

// Full reports whether the list has reached its maximum.
func Full() bool {
	l := recording.Load()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.most > 0 && len(l.regions) >= l.most
}

// Begin begins a region on the running goroutine. It returns nil if regions are not
// recorded.
func Begin(name string, kind Kind) *Region {
	l := recording.Load()
	if l == nil {
		return nil
	}
	r := &Region{Name: name, Lane: goroutine.ID(), Kind: kind, of: l}
	if trace.On() {
		_, r.Stack = trace.Lane(trace.Capture(2))
	}
	r.Start = now() + l.before
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done || l.most > 0 && len(l.regions) >= l.most {
		return nil
	}
	l.regions = append(l.regions, r)
	return r
}

// Finish ends a region. It does nothing if the region or its list has ended.
func (r *Region) Finish() {
	if r == nil {
		return
	}
	l := r.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.done && r.End == 0 {
		r.End = now() + l.after
	}
}
