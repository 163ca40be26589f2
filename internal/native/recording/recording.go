// Package recording is what package torch and others know of a step that is being
// captured (torch.Capture): what belongs to a replay besides the operators.
package recording

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/modes"
)

// Recording is a step that is being captured.
type Recording struct{ before []func() }

// BeforeReplay has fn called before each replay of the graph. It feeds numbers that the
// program changes meanwhile. It does nothing for nil, which no step is captured by.
func (r *Recording) BeforeReplay(fn func()) {
	if r != nil {
		r.before = append(r.before, fn)
	}
}

// Begin forgets what an earlier pass over the step asked for.
func (r *Recording) Begin() { r.before = nil }

// Before returns what is to be called before a replay.
func (r *Recording) Before() []func() { return r.before }

// The recordings under way, by the numbers of their modes.
var underWay sync.Map

// Start enters a recording under the number of its mode.
func Start(number uint32) *Recording {
	r := new(Recording)
	underWay.Store(number, r)
	return r
}

// Stop takes it out again.
func Stop(number uint32) { underWay.Delete(number) }

// Current returns the recording that the running goroutine takes part in, nil where there is none.
func Current() *Recording {
	n := modes.Current().Capture
	if n == 0 {
		return nil
	}
	r, _ := underWay.Load(n)
	found, _ := r.(*Recording)
	return found
}
