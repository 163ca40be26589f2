// Package recording holds the state of a step that is being captured (torch.Capture):
// everything besides operators that a replay needs.
package recording

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// Recording is a step that is being captured. If the program does something that a replay
// cannot repeat, a lenient recording continues and reports it at the end.
type Recording struct {
	lenient bool
	// Optimize says that the graph will be optimized (torch.Optimize).
	Optimize bool
	failure  string
	retried  bool // an operator was called again because memory ran out
	before   []func()
	watched  []func() (guard func() string)
	keys     map[any]bool
}

// BeforeReplay registers a function that is called before each replay. The function
// copies numbers that the program may have changed, such as a learning rate, into the
// graph. BeforeReplay does nothing if r is nil, because then no step is being captured.
func (r *Recording) BeforeReplay(fn func()) {
	if r != nil {
		r.before = append(r.before, fn)
	}
}

// Watch registers a guard that is called before each replay. The guard returns a
// description of what has changed since the capture, or "". begin creates the guard at
// the end of a pass, so that temporary changes within a step do not count. Each key is
// watched once. Watch does nothing if r is nil.
func (r *Recording) Watch(key any, begin func() (guard func() string)) {
	if r == nil || r.keys[key] {
		return
	}
	if r.keys == nil {
		r.keys = map[any]bool{}
	}
	r.keys[key] = true
	r.watched = append(r.watched, begin)
}

// GiveUp records that a replay cannot repeat an action of the program, and reports
// whether the recording may continue. If not, the recording must end with an error.
func (r *Recording) GiveUp(why string) bool {
	if r.lenient && r.failure == "" {
		r.failure = why
	}
	return r.lenient
}

// Retried records that an operator is called again because memory ran out. The recording
// then also contains a part of the first call, so it must not be compared or replayed.
// Retried does nothing if r is nil.
func (r *Recording) Retried() {
	if r != nil {
		r.retried = true
	}
}

// HasRetried reports whether Retried was called.
func (r *Recording) HasRetried() bool { return r.retried }

// At returns the program's innermost line in a stack, in parentheses, or "" if there is
// none.
func At(stack trace.ID) string {
	if f, ok := trace.Site(trace.Frames(stack)); ok {
		return fmt.Sprintf(" (captured at %s:%d)", f.File, f.Line)
	}
	return ""
}

// Optimizes reports whether the goroutine captures a step for a graph that will be optimized. Layers then call
// single operators, which can be optimized, and not libtorch's kernels for whole layers.
func Optimizes() bool {
	r := Current()
	return r != nil && r.Optimize
}

// Failure returns why the recording was given up, or "".
func (r *Recording) Failure() string { return r.failure }

// Clear removes everything that was registered in a pass over the step. Callbacks may
// refer to the graph, which they must not keep alive if no further pass follows.
func (r *Recording) Clear() { r.before, r.watched, r.keys = nil, nil, nil }

// Before returns the functions to call before a replay.
func (r *Recording) Before() []func() { return r.before }

// Guards creates the guards registered with Watch, at the end of a pass, and returns
// them. A replay calls the guards before the functions of Before.
func (r *Recording) Guards() []func() string {
	guards := make([]func() string, len(r.watched))
	for i, begin := range r.watched {
		guards[i] = begin()
	}
	return guards
}

// The running recordings, by modes.Modes.Capture.
var (
	underWay sync.Map
	count    atomic.Int64
)

// Start starts a recording. number identifies the libtorch mode that records; see
// modes.Modes.Capture.
func Start(number uint32, lenient bool) *Recording {
	r := &Recording{lenient: lenient}
	if _, left := underWay.Swap(number, r); !left {
		count.Add(1)
	}
	return r
}

// Stop removes the recording with the number passed to Start, unless a newer recording
// has taken the number over.
func (r *Recording) Stop(number uint32) {
	if underWay.CompareAndDelete(number, r) {
		count.Add(-1)
	}
}

// Current returns the recording that the running goroutine is part of, or nil.
func Current() *Recording {
	if count.Load() == 0 { // fast path, because layers call this in every forward pass
		return nil
	}
	n := modes.Current().Capture
	if n == 0 {
		return nil
	}
	r, _ := underWay.Load(n)
	found, _ := r.(*Recording)
	return found
}
