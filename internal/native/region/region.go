// Package region keeps the parts of a program that it named while a profile is made: the
// regions of profiler.RecordFunction, the steps of optimizers. It knows nothing of who
// reads them, so that every package may mark its own.
package region

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/gotorch/gotorch/internal/native/goroutine"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// Region is a part of a program. A nil one is none.
type Region struct {
	Name       string
	Start, End int64 // ns of the clock that Start was told of; End is 0 until it ends
	Lane       uintptr
	Stack      trace.ID
	Kind       Kind
	of         *list
}

// Kind says what a region is.
type Kind uint8

// The kinds of regions.
const (
	User   Kind = iota // named by the program, or an optimizer's
	Module             // a forward pass of a module
)

// recording is the list in the making; nil while nobody wants one.
var recording atomic.Pointer[list]

type list struct {
	before, after int64 // bounds of what is to be added to a time of this package
	mu            sync.Mutex
	regions       []*Region
	most          int  // regions to keep, 0 for all
	done          bool // and read by whoever wanted it
}

// epoch is when the clock of this package began.
var epoch = time.Now()

func now() int64 { return int64(time.Since(epoch)) }

// On reports whether somebody wants regions.
func On() bool { return recording.Load() != nil }

// Start begins a list. clock is a monotonic clock in ns: a region's times are on it,
// somewhat too early at its start and too late at its end, so that what it called lies
// within. The list has no more than most regions, if that is not 0.
func Start(clock func() int64, most int) {
	l := &list{most: most}
	for i := range 5 { // the shortest call tells most
		from := now()
		c := clock()
		to := now()
		if before, after := c-to, c-from; i == 0 || after-before < l.after-l.before {
			l.before, l.after = before, after
		}
	}
	recording.Store(l)
}

// Stop ends the list and returns it, in the order in which regions began. Those that have
// not ended have no End.
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

// Full reports whether the list has all the regions that it may have.
func Full() bool {
	l := recording.Load()
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.most > 0 && len(l.regions) >= l.most
}

// Begin begins a region on the running goroutine, and returns nil while nobody wants
// regions.
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

// Finish ends a region. One that has ended, or whose list has, stays as it is.
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
