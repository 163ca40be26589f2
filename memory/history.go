package memory

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/history"
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
		return device.Error("RecordHistory", torch.ErrValue, fmt.Sprintf("%s %v is not %s", field, value, valid))
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
	var as []history.Allocator
	for _, d := range devices {
		h, err := historianOf("RecordHistory", d)
		if err != nil {
			return err
		}
		as = append(as, h)
	}
	history.Switch(history.Options{
		Mode: history.Mode(opts.Enabled), Context: history.Context(opts.Context),
		Program: opts.Stacks == StacksProgram, Most: opts.MaxEntries, Clear: opts.Clear,
	}, as...)
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
	history.Annotate(history.Mark{Name: name, Stage: stage, TimeUs: time.Now().UnixMicro()})
}
