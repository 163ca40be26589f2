// Package recording is what package torch and others know of a step that is being
// captured (torch.Capture): what belongs to a replay besides the operators.
package recording

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gotorch/gotorch/internal/native/modes"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// Recording is a step that is being captured. A lenient one goes on where something could not
// be repeated, and says so at its end.
type Recording struct {
	lenient bool
	failure string
	before  []func()
	watched []func() (guard func() string)
	keys    map[any]bool
}

// BeforeReplay has fn called before each replay of the graph. It feeds numbers that the
// program changes meanwhile. It does nothing for nil, which no step is captured by.
func (r *Recording) BeforeReplay(fn func()) {
	if r != nil {
		r.before = append(r.before, fn)
	}
}

// Watch has a guard asked before each replay, which says what is not as it was when the step was
// captured, nothing where all is. Begin makes it at the end of a pass, since what a step changes for
// a while it changes back. A key is watched once. It does nothing for nil.
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

// GiveUp notes that a replay could not repeat what the program does, and reports whether it may go
// on: a recording that is not lenient has to end with an error.
func (r *Recording) GiveUp(why string) bool {
	if r.lenient && r.failure == "" {
		r.failure = why
	}
	return r.lenient
}

// At names the line of the program in a stack, in brackets, nothing where there is none.
func At(stack trace.ID) string {
	if f, ok := trace.Site(trace.Frames(stack)); ok {
		return fmt.Sprintf(" (captured at %s:%d)", f.File, f.Line)
	}
	return ""
}

// Failure says why the recording was given up, nothing where it was not.
func (r *Recording) Failure() string { return r.failure }

// Begin forgets what an earlier pass over the step asked for.
func (r *Recording) Begin() { r.before, r.watched, r.keys = nil, nil, nil }

// Before returns what is to be called before a replay.
func (r *Recording) Before() []func() { return r.before }

// Guards returns what is to be asked before that, of what is as it is now, at the end of a pass.
func (r *Recording) Guards() []func() string {
	guards := make([]func() string, len(r.watched))
	for i, begin := range r.watched {
		guards[i] = begin()
	}
	return guards
}

// The recordings under way, by the numbers of their modes.
var (
	underWay sync.Map
	count    atomic.Int64
)

// Start enters a recording under the number of its mode.
func Start(number uint32, lenient bool) *Recording {
	r := &Recording{lenient: lenient}
	if _, left := underWay.Swap(number, r); !left {
		count.Add(1)
	}
	return r
}

// Stop takes it out again. Its number may be another's by then.
func (r *Recording) Stop(number uint32) {
	if underWay.CompareAndDelete(number, r) {
		count.Add(-1)
	}
}

// Current returns the recording that the running goroutine takes part in, nil where there is none.
func Current() *Recording {
	if count.Load() == 0 { // what layers ask at every call
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
