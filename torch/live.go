package torch

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/internal/live"
	"github.com/gotorch/gotorch/internal/trace"
)

// list enters a new tensor into the list of the living that package memory
// reports. It comes before the tensor gets its owner.
//
//go:noinline
func (t *Tensor) list(site trace.ID) {
	if site == 0 {
		site = trace.Capture(2) // a callback's tensor: no operator began here
	}
	t.entry = live.Add(abi.Tensor(t.h.Load()), site)
}

// unlist takes a tensor off that list, before its handle is freed. A scope and
// Close may both get here only for different tensors, since either first takes
// the handle.
func (t *Tensor) unlist() {
	if t.entry != nil || live.Watched() {
		t.unlistNow()
	}
}

//go:noinline
func (t *Tensor) unlistNow() {
	live.Freed(t.entry)
	t.entry.Remove()
	t.entry = nil
}

// collectListed is collect for a tensor on the list.
func collectListed(e *live.Entry) {
	e.Remove()
	if live.Watched() {
		live.Collected(e)
	}
	free(e.Handle)
}
