package memory

import (
	"fmt"
	"time"

	"github.com/gotorch/gotorch/memory/internal/device"
	"github.com/gotorch/gotorch/memory/internal/history"
	"github.com/gotorch/gotorch/torch"
)

// HistoryMode selects what [RecordHistory] records.
type HistoryMode string

// The possible modes. An empty HistoryMode means HistoryAll, as in PyTorch.
const (
	// Record nothing, and discard what was recorded.
	HistoryOff   HistoryMode = "off"
	HistoryState HistoryMode = "state" // record the stack of each live block
	HistoryAll   HistoryMode = "all"   // also record every allocation and free
)

// HistoryContext selects the events whose Go stack [RecordHistory] records.
type HistoryContext string

// The possible contexts. An empty HistoryContext means ContextAll, as in PyTorch.
const (
	ContextNone  HistoryContext = "none"  // no stacks
	ContextState HistoryContext = "state" // live blocks
	ContextAlloc HistoryContext = "alloc" // also allocations in the trace
	ContextAll   HistoryContext = "all"   // also frees and segments
)

// HistoryStacks selects which calls of each stack a snapshot shows.
type HistoryStacks string

// The possible values. An empty HistoryStacks means StacksAll.
const (
	StacksAll     HistoryStacks = "all"     // every Go call
	StacksProgram HistoryStacks = "program" // without the calls inside this library
)

// HistoryOptions are the settings of [RecordHistory]. The zero value has the
// defaults of torch.cuda.memory._record_memory_history.
type HistoryOptions struct {
	Enabled HistoryMode
	Context HistoryContext
	Stacks  HistoryStacks
	// MaxEntries is the number of newest events to keep. 0 keeps all. An event takes 40
	// bytes.
	MaxEntries int
	Clear      bool // discard earlier events
	// If Devices is empty, the settings are for all devices in use that have a history. All
	// CUDA devices share one setting.
	Devices []torch.Device
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

// RecordHistory makes the allocators record allocations and frees. [Snapshot] and
// [DumpSnapshot] then contain the history, and errors of kind torch.ErrOutOfMemory name
// the lines that hold the most memory. Call it again to change the settings.
// [StopHistory] ends the recording. In PyTorch: torch.cuda.memory._record_memory_history.
//
// All CUDA devices share their settings, so naming one CUDA device changes all of them.
// The CPU has its own settings. Devices that are not named stay unchanged. On CUDA,
// changing the mode or MaxEntries discards earlier events, and HistoryState keeps only
// the newest event, as in PyTorch.
//
// Blocks and allocations have the Go stack of the operator that allocated them, even if
// libtorch ran it on another thread. In a backward pass they have two stacks: the stack
// of the call to Backward, and the stack of the operator whose gradient was computed. A
// free inside an operator has a stack. A free by Close, by a scope or by the collector
// has none. Blocks that were allocated before RecordHistory have no stack either.
//
// Recording adds less than 1.5 µs to each allocation. RecordHistory returns a
// *torch.Error of kind ErrValue for an invalid setting and of kind ErrDevice for a device
// that does not exist. A CUDA device with the backend cudaMallocAsync has no history:
// naming it returns ErrNotImplemented; if no device is named, that device is left out.
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

// StopHistory stops recording on all devices in use and discards the recorded
// events. It is the same as RecordHistory with Enabled: HistoryOff.
func StopHistory() {
	// The options are valid and the devices exist, so there is no error.
	_ = RecordHistory(HistoryOptions{Enabled: HistoryOff})
}

// Annotate runs fn and marks its start and end in every history that records with
// HistoryAll. The viewer shows the name above the marked period, for each device. It panics
// with torch.ErrNil if fn is nil. In PyTorch: torch.profiler.record_function with
// global_record_annotations.
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
