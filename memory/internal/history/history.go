// Package history switches the allocators' recording on and off. It also keeps the
// settings of a recording and the marks that the program adds.
//
// The program switches a recording on and off with Switch, and leak checks do so with
// WatchBlocks. Leak checks do not change a recording of the program.
package history

import (
	"sync"

	"github.com/gotorch/gotorch/internal/native/trace"
)

// Mode selects what is recorded.
type Mode string

// The modes.
const (
	Off   Mode = "off"
	State Mode = "state" // record the stack of each live block
	All   Mode = "all"   // also record every allocation and free
)

// Context selects the events whose stacks are recorded.
type Context string

// The contexts.
const (
	ContextNone  Context = "none"
	ContextState Context = "state"
	ContextAlloc Context = "alloc"
	ContextAll   Context = "all"
)

// Options are the settings of a recording. All fields must be set.
type Options struct {
	Mode    Mode
	Context Context
	Program bool // leave out calls inside this library from a snapshot's stacks
	Most    int  // maximum number of events to keep; 0 keeps all
	Clear   bool // discard earlier events
}

// On reports whether anything is recorded.
func (o *Options) On() bool { return o.Mode == All || o.Mode == State }

// stacks reports whether events are recorded with their stacks.
func (o *Options) stacks() bool { return o.On() && o.Context != ContextNone }

// Allocator is an allocator that can record its allocations and frees.
type Allocator interface {
	// Recording returns the recording that Record changes. Several allocators may share
	// it.
	Recording() *Recording
	// Record starts, changes or stops recording. It returns whether earlier events were
	// discarded. before contains the previous options.
	Record(to, before *Options) (forgot bool)
}

// state is the current state of all recordings. All CUDA devices share one recording,
// because libtorch records either all of them or none.
var state struct {
	mu           sync.Mutex
	cpu, cuda    Recording
	tracing      bool // whether stacks of operators are recorded
	watchers     int  // number of running watches
	watchChanges int  // value of cpu.changes when a watch last changed the recording
}

// Recording is the state of one recording, which covers either the CPU or all CUDA
// devices.
type Recording struct {
	marks markList
	// Guarded by state.mu:
	options Options // the current options
	changes int     // number of changes
}

// Program reports whether a snapshot shows stacks without the calls inside this library.
func (r *Recording) Program() bool {
	state.mu.Lock()
	defer state.mu.Unlock()
	return r.options.Program
}

// Bounded reports whether the number of events that the CPU's recording keeps is limited.
func Bounded() bool {
	state.mu.Lock()
	defer state.mu.Unlock()
	return state.cpu.options.Most > 0
}

// Switch applies o to the recordings of the allocators as. If o turns off the CPU's
// recording while watches run, the recording continues for the watches.
func Switch(o Options, as ...Allocator) {
	state.mu.Lock()
	defer state.mu.Unlock()
	switched := map[*Recording]bool{}
	for _, a := range as {
		r := a.Recording()
		if switched[r] {
			continue
		}
		switched[r] = true
		if r == &state.cpu && !o.On() && state.watchers > 0 {
			r.switchTo(Options{Mode: State, Context: ContextState, Clear: true}, a)
			state.watchChanges = r.changes
			continue
		}
		r.switchTo(o, a)
	}
}

// switchTo does the work of Switch for one recording. The caller holds state.mu.
func (r *Recording) switchTo(o Options, a Allocator) {
	// Start recording stacks first, because the events refer to them.
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
