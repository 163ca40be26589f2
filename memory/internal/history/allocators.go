package history

import (
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
)

// The numbers by which the allocators' C interfaces denote modes and contexts. Nothing
// changes these maps.
var (
	rawModes    = map[Mode]int{State: mem.HistoryState, All: mem.HistoryAll}
	rawContexts = map[Context]int{
		ContextNone: mem.ContextNone, ContextState: mem.ContextState,
		ContextAlloc: mem.ContextAlloc, ContextAll: mem.ContextAll,
	}
)

// CPU is the CPU's allocator.
type CPU struct{}

// Recording returns the CPU's own recording.
func (CPU) Recording() *Recording { return &state.cpu }

// Record makes the CPU's allocator start or stop recording events.
func (CPU) Record(o, _ *Options) bool {
	if !o.On() {
		mem.CPUHistoryStop()
		return true
	}
	mem.CPUHistoryStart(rawModes[o.Mode], rawContexts[o.Context], int64(o.Most), o.Clear)
	return o.Clear
}

// CUDA is libtorch's allocator for all CUDA devices.
type CUDA struct{}

// Recording returns the recording shared by all CUDA devices.
func (CUDA) Recording() *Recording { return &state.cuda }

// Record makes libtorch's CUDA allocators start or stop recording events. It panics with a
// *torch.Error if the CUDA library reports an error.
func (CUDA) Record(o, before *Options) bool {
	// libtorch keeps events in a ring buffer. If a full buffer is made smaller, libtorch
	// writes beyond its end. If it is made larger, the order of events is wrong. So clear
	// the buffer.
	most := cudaEntries(o)
	forget := o.Clear || most != cudaEntries(before)
	device.MustCUDA("RecordHistory", cuda.Record(o.On(), rawContexts[o.Context], most, forget))
	return forget || !o.On()
}

// cudaEntries returns how many events libtorch keeps, 0 for all. libtorch always records
// events, so for the mode State it keeps only one, as PyTorch does.
func cudaEntries(o *Options) int64 {
	if o.Mode != All {
		return 1
	}
	return int64(o.Most)
}
