package memory

import (
	"fmt"
	"sync"
	"time"

	"github.com/gotorch/gotorch/internal/trace"
	"github.com/gotorch/gotorch/torch"
)

// HistoryMode says what RecordHistory records.
type HistoryMode string

// The modes. The empty HistoryMode is HistoryAll, PyTorch's default.
const (
	HistoryOff   HistoryMode = "off"   // nothing; what was recorded is discarded
	HistoryState HistoryMode = "state" // where each live block came from
	HistoryAll   HistoryMode = "all"   // and every allocation and free
)

// HistoryContext says for which events RecordHistory records the Go stack.
type HistoryContext string

// The contexts. The empty HistoryContext is ContextAll, PyTorch's default.
const (
	ContextNone  HistoryContext = "none"  // no stacks
	ContextState HistoryContext = "state" // for live blocks
	ContextAlloc HistoryContext = "alloc" // and for each allocation in the trace
	ContextAll   HistoryContext = "all"   // and for frees and segments
)

// HistoryStacks says which calls of a stack a snapshot shows.
type HistoryStacks string

// The kinds of stack. The empty HistoryStacks is StacksAll.
const (
	StacksAll     HistoryStacks = "all"     // every Go call
	StacksProgram HistoryStacks = "program" // from the program's own line outwards, without this library's calls
)

// HistoryOptions are the settings of RecordHistory. The zero value is what
// torch.cuda.memory._record_memory_history does without arguments.
type HistoryOptions struct {
	Enabled    HistoryMode
	Context    HistoryContext
	Stacks     HistoryStacks
	MaxEntries int            // how many events are kept, the newest; 0: all. An event takes 40 bytes
	Clear      bool           // discard earlier events
	Devices    []torch.Device // empty: all that are in use and have a history. All CUDA devices share one setting
}

// on reports whether anything is recorded.
func (o *HistoryOptions) on() bool { return o.Enabled == HistoryAll || o.Enabled == HistoryState }

// stacks reports whether stacks are recorded.
func (o *HistoryOptions) stacks() bool { return o.on() && o.Context != ContextNone }

func (o *HistoryOptions) check() error {
	if o.Enabled == "" {
		o.Enabled = HistoryAll
	}
	if o.Context == "" {
		o.Context = ContextAll
	}
	if o.Stacks == "" {
		o.Stacks = StacksAll
	}
	bad := func(field string, value any, valid string) error {
		return deviceError("RecordHistory", torch.ErrValue, fmt.Sprintf("%s %v is not %s", field, value, valid))
	}
	switch o.Enabled {
	case HistoryOff, HistoryState, HistoryAll:
	default:
		return bad("Enabled", o.Enabled, `"off", "state" or "all"`)
	}
	switch o.Context {
	case ContextNone, ContextState, ContextAlloc, ContextAll:
	default:
		return bad("Context", o.Context, `"none", "state", "alloc" or "all"`)
	}
	switch o.Stacks {
	case StacksAll, StacksProgram:
	default:
		return bad("Stacks", o.Stacks, `"all" or "program"`)
	}
	if o.MaxEntries < 0 {
		return bad("MaxEntries", o.MaxEntries, "zero or above")
	}
	return nil
}

// history is what is being recorded now, by allocator. libtorch records all CUDA
// devices or none.
var history struct {
	mu        sync.Mutex
	cpu, cuda recording
	tracing   bool
}

// recording is what one allocator records.
type recording struct {
	marks markList
	// What follows is guarded by history.mu.
	options HistoryOptions // those it was switched to
	changes int            // how often it was
}

// switchTo has the allocator h record by valid options from now on. The caller
// holds history.mu.
func (r *recording) switchTo(o HistoryOptions, h historian) {
	// Stacks have to be there before what they belong to.
	if o.stacks() && !history.tracing {
		trace.Start()
		history.tracing = true
	}
	forgot := h.record(o)
	r.options = o
	r.changes++
	r.marks.record(o, forgot)
	if history.tracing && !history.cpu.options.stacks() && !history.cuda.options.stacks() {
		trace.Stop()
		history.tracing = false
	}
}

// RecordHistory makes the allocators record what they do. Snapshot and
// DumpSnapshot then show it, and errors of kind torch.ErrOutOfMemory name the
// lines that hold the most. You may call it again to change the settings;
// StopHistory ends it. In PyTorch: torch.cuda.memory._record_memory_history.
//
// The CPU has its own settings and all CUDA devices share theirs, so naming one
// CUDA device changes all of them. Devices that are not named go on as before.
// On CUDA, changing the mode or MaxEntries discards earlier events, and
// HistoryState keeps one event, the newest, as in PyTorch.
//
// Blocks and allocations have the Go stack of the operator that made them, on
// whichever thread it ran. Those of a backward pass have the stack of the call
// to Backward, and also that of the operator whose gradient was computed. Frees
// inside an operator have a stack; frees by Close, at the end of a scope and by
// the collector have none. Nor has anything that was allocated before
// RecordHistory.
//
// It adds less than 1.5 µs to each allocation, and nothing while it is off. It
// returns a *torch.Error of kind ErrValue for settings that do not exist and
// ErrDevice for a device that is not there. A CUDA device whose backend is
// cudaMallocAsync keeps no history: it is ErrNotImplemented if it is named, and
// left out if no devices are named.
func RecordHistory(opts HistoryOptions) error {
	if err := opts.check(); err != nil {
		return err
	}
	devices := opts.Devices
	if len(devices) == 0 {
		devices = snapshotDevices()
	}
	var hs []historian
	for _, d := range devices {
		h, err := historianOf("RecordHistory", d)
		if err != nil {
			return err
		}
		hs = append(hs, h)
	}
	history.mu.Lock()
	defer history.mu.Unlock()
	switched := map[*recording]bool{}
	for _, h := range hs {
		if r := h.recording(); !switched[r] {
			r.switchTo(opts, h)
			switched[r] = true
		}
	}
	return nil
}

// StopHistory stops recording on all devices in use and discards what was
// recorded. It is RecordHistory with Enabled: HistoryOff.
func StopHistory() {
	// The options are valid and the devices there, so there is no error.
	_ = RecordHistory(HistoryOptions{Enabled: HistoryOff})
}

// Annotate runs fn and marks its beginning and end in the histories that record
// with HistoryAll. The viewer shows the name above that period, for each
// device. In PyTorch: torch.profiler.record_function together with
// global_record_annotations. It panics with torch.ErrNil for a nil fn.
func Annotate(name string, fn func()) {
	if fn == nil {
		panic(torch.NilFunc("memory.Annotate", "fn"))
	}
	annotate(name, StageStart)
	defer annotate(name, StageEnd)
	fn()
}

func annotate(name, stage string) {
	a := Annotation{Name: name, Stage: stage, TimeUs: time.Now().UnixMicro()}
	history.cpu.marks.add(a)
	history.cuda.marks.add(a)
}

// markList are the annotations of a history.
type markList struct {
	mu   sync.Mutex
	on   bool
	most int
	list []Annotation
}

// record begins a stretch of the history, without earlier marks if their events
// were forgotten.
func (m *markList) record(o HistoryOptions, forgot bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = o.Enabled == HistoryAll
	m.most = o.MaxEntries
	if forgot {
		m.list = nil
	}
}

func (m *markList) add(a Annotation) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		return
	}
	if m.most > 0 && len(m.list) >= m.most {
		// Half at a time, so that a full list costs no copy at each mark.
		m.list = append(m.list[:0], m.list[(len(m.list)+1)/2:]...)
	}
	m.list = append(m.list, a)
}

// appendTo appends the marks, as those of a device.
func (m *markList) appendTo(list []Annotation, device int) []Annotation {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.list {
		a.Device = device
		list = append(list, a)
	}
	return list
}

// frameCache turns numbers of stacks into frames, each once: equal stacks share
// a slice, which a pickle then holds once.
type frameCache struct {
	program bool
	byID    map[trace.ID][]Frame
}

func newFrameCache(program bool) *frameCache {
	return &frameCache{program: program, byID: map[trace.ID][]Frame{0: {}}}
}

func (c *frameCache) frames(id uint32) []Frame {
	if f, ok := c.byID[trace.ID(id)]; ok {
		return f
	}
	calls := trace.Frames(trace.ID(id))
	from := 0
	if c.program {
		if site, ok := trace.Site(calls); ok {
			for calls[from] != site {
				from++
			}
		}
	}
	out := make([]Frame, 0, len(calls)-from)
	for _, f := range calls[from:] {
		out = append(out, Frame{Name: f.Function, Filename: f.File, Line: f.Line})
	}
	c.byID[trace.ID(id)] = out
	return out
}

// forward is frames for the operator behind an allocation of a backward pass;
// nil without one.
func (c *frameCache) forward(id uint32) ForwardStack {
	if id == 0 {
		return nil
	}
	return c.frames(id)
}
