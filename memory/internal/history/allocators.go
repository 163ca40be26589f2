package history

import (
	"github.com/gotorch/gotorch/cgotorch/cuda"
	"github.com/gotorch/gotorch/cgotorch/mem"
	"github.com/gotorch/gotorch/memory/internal/device"
)

// How the allocators of both languages call modes and contexts. They are constant.
var (
	rawModes    = map[Mode]int{State: mem.HistoryState, All: mem.HistoryAll}
	rawContexts = map[Context]int{
		ContextNone: mem.ContextNone, ContextState: mem.ContextState,
		ContextAlloc: mem.ContextAlloc, ContextAll: mem.ContextAll,
	}
)

// CPU is the CPU's allocator.
type CPU struct{}

// Recording is the CPU's own.
func (CPU) Recording() *Recording { return &state.cpu }

// Record begins a ring of events, or ends it.
func (CPU) Record(o, _ *Options) bool {
	if !o.On() {
		mem.CPUHistoryStop()
		return true
	}
	mem.CPUHistoryStart(rawModes[o.Mode], rawContexts[o.Context], int64(o.Most), o.Clear)
	return o.Clear
}

// CUDA is libtorch's allocator of all CUDA devices.
type CUDA struct{}

// Recording is that of all CUDA devices.
func (CUDA) Recording() *Recording { return &state.cuda }

// Record panics with a *torch.Error where CUDA's library refuses.
func (CUDA) Record(o, before *Options) bool {
	// A ring of libtorch's that is full is written beyond its end once it is given
	// fewer entries, and is out of order with more: it begins anew.
	most := cudaEntries(o)
	forget := o.Clear || most != cudaEntries(before)
	device.MustCUDA("RecordHistory", cuda.Record(o.On(), rawContexts[o.Context], most, forget))
	return forget || !o.On()
}

// cudaEntries is how many events libtorch keeps, 0 for all. It has no mode
// without events; PyTorch gives it one entry then.
func cudaEntries(o *Options) int64 {
	if o.Mode != All {
		return 1
	}
	return int64(o.Most)
}
