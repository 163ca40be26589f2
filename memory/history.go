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
	HistoryOff   HistoryMode = "off"   // nothing; what was recorded is forgotten
	HistoryState HistoryMode = "state" // where each live block came from
	HistoryAll   HistoryMode = "all"   // and every allocation and free
)

// HistoryContext says for what RecordHistory records the Go stack.
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
	MaxEntries int            // the newest so many events are kept; 0: all. 40 bytes each
	Clear      bool           // forget earlier events
	Devices    []torch.Device // empty: all that are in use and have a history
}

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

// history is what is being recorded now.
var history struct {
	mu      sync.Mutex
	options HistoryOptions
	tracing bool
}

// RecordHistory has the allocators record what they do, for Snapshot and
// DumpSnapshot to show and for errors of kind torch.ErrOutOfMemory to name the
// lines that hold most. It may be called again to change the settings;
// StopHistory ends it. In PyTorch:
// torch.cuda.memory._record_memory_history.
//
// Blocks and allocations carry the Go stack of the operator that made them,
// whichever thread it ran on. Those of a backward pass carry the stack of the
// call of Backward, and that of the operator whose gradient was computed.
// Frees have a stack if they happen inside an operator; Close, the end of a
// scope and the collector leave none. What is allocated before RecordHistory
// has no stack either.
//
// It costs less than a microsecond and a half for each allocation, and nothing
// while it is off. It returns a *torch.Error of kind ErrValue for settings that
// do not exist, ErrDevice for a device that is not there and ErrNotImplemented for
// a CUDA device whose backend is cudaMallocAsync, which keeps no history; with no
// devices named, such are left out.
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
	history.options = opts
	// Stacks have to be there before what they belong to.
	want := opts.Enabled != HistoryOff && opts.Context != ContextNone
	if want && !history.tracing {
		trace.Start()
	}
	for _, h := range hs {
		h.record(opts)
	}
	if !want && history.tracing {
		trace.Stop()
	}
	history.tracing = want
	marks.record(opts)
	return nil
}

// StopHistory ends what RecordHistory began on all devices in use, and forgets
// what was recorded: RecordHistory with Enabled: HistoryOff.
func StopHistory() {
	// The options are valid and the devices there, so there is no error.
	_ = RecordHistory(HistoryOptions{Enabled: HistoryOff})
}

// Annotate runs fn and marks its beginning and end in the history, if one is
// recorded: the viewer shows the name over that stretch of time. In PyTorch:
// torch.profiler.record_function together with global_record_annotations.
func Annotate(name string, fn func()) {
	marks.add(name, StageStart)
	defer marks.add(name, StageEnd)
	fn()
}

// marks are the annotations of the history.
var marks markList

type markList struct {
	mu   sync.Mutex
	on   bool
	most int
	list []Annotation
}

func (m *markList) record(o HistoryOptions) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.on = o.Enabled == HistoryAll
	m.most = o.MaxEntries
	if o.Clear || o.Enabled == HistoryOff {
		m.list = nil
	}
}

func (m *markList) add(name, stage string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.on {
		return
	}
	if m.most > 0 && len(m.list) >= m.most {
		// Half at a time, so that a full list costs no copy at each mark.
		m.list = append(m.list[:0], m.list[(len(m.list)+1)/2:]...)
	}
	m.list = append(m.list, Annotation{Name: name, Stage: stage, TimeUs: time.Now().UnixMicro()})
}

func (m *markList) copy(device int) []Annotation {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Annotation, len(m.list))
	for i, a := range m.list {
		a.Device = device
		out[i] = a
	}
	return out
}

// frameCache turns numbers of stacks into frames, each once: equal stacks share
// a slice, which a pickle then holds once.
type frameCache struct {
	program bool
	byID    map[trace.ID][]Frame
}

func newFrameCache() *frameCache {
	history.mu.Lock()
	defer history.mu.Unlock()
	return &frameCache{program: history.options.Stacks == StacksProgram, byID: map[trace.ID][]Frame{0: {}}}
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
