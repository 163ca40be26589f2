// Package history switches the allocators' recording on and off, and keeps what
// belongs to a recording beside the allocator's own events: its settings, the marks
// that the program sets, and whether stacks of operators are taken.
//
// Two parties switch: the program, by Switch, and leak checks, by WatchBlocks,
// which leave a recording of the program's alone.
package history

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Mode says what is recorded.
type Mode string

// The modes.
const (
	Off   Mode = "off"
	State Mode = "state" // where each live block came from
	All   Mode = "all"   // and every allocation and free
)

// Context says for which events stacks are recorded.
type Context string

// The contexts.
const (
	ContextNone  Context = "none"
	ContextState Context = "state"
	ContextAlloc Context = "alloc"
	ContextAll   Context = "all"
)

// Options are the settings of a recording; all have to be given.
type Options struct {
	Mode    Mode
	Context Context
	Program bool // a snapshot shows stacks from the program's own line outwards
	Most    int  // events kept, 0 for all
	Clear   bool // discard earlier events
}

// On reports whether anything is recorded.
func (o *Options) On() bool { return o.Mode == All || o.Mode == State }

// stacks reports whether stacks are recorded.
func (o *Options) stacks() bool { return o.On() && o.Context != ContextNone }

// Allocator is one that can record.
type Allocator interface {
	// Recording is what it records, shared with others that are switched with it.
	Recording() *Recording
	// Record starts, changes or stops recording, and returns whether it forgot
	// earlier events. before is what it recorded until now.
	Record(to, before *Options) (forgot bool)
}

// state is what is being recorded now, by allocator. libtorch records all CUDA
// devices or none.
var state struct {
	mu        sync.Mutex
	cpu, cuda Recording
	tracing   bool // stacks of operators are taken
	watchers  int  // watches that run
	ours      int  // cpu.changes after the last one that was made for a watch
}

// Recording is what one allocator records.
type Recording struct {
	marks markList
	// What follows is guarded by state.mu.
	options Options // those it was switched to
	changes int     // how often it was
}

// Program reports whether the snapshot shows stacks from the program's own line.
func (r *Recording) Program() bool {
	state.mu.Lock()
	defer state.mu.Unlock()
	return r.options.Program
}

// Bounded reports whether the CPU's recording keeps a limited number of events.
func Bounded() bool {
	state.mu.Lock()
	defer state.mu.Unlock()
	return state.cpu.options.Most > 0
}

// Switch has the allocators record by these options from now on.
func Switch(o Options, as ...Allocator) {
	state.mu.Lock()
	defer state.mu.Unlock()
	switched := map[*Recording]bool{}
	for _, a := range as {
		if r := a.Recording(); !switched[r] {
			r.switchTo(o, a)
			switched[r] = true
		}
	}
}

// switchTo is Switch of one allocator. The caller holds state.mu.
func (r *Recording) switchTo(o Options, a Allocator) {
	// Stacks have to be there before what they belong to.
	if o.stacks() && !state.tracing {
		trace.Start()
		state.tracing = true
	}
	forgot := a.Record(&o, &r.options)
	r.options = o
	r.changes++
	r.marks.record(o, forgot)
	if state.tracing && !state.cpu.options.stacks() && !state.cuda.options.stacks() {
		trace.Stop()
		state.tracing = false
	}
}
