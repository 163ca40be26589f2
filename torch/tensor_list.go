package torch

import (
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// list adds a new tensor to the list of live tensors that package memory
// reports. It must run before the tensor gets its owner.
//
//go:noinline
func (t *Tensor) list(site trace.ID) {
	if site == 0 {
		site = trace.Capture(2) // the tensor comes from a callback, where BeginRaw recorded no site
	}
	t.entry = live.Add(t.h, site)
}

// unlist removes a tensor from the list of live tensors before the tensor's handle is
// freed.
func (t *Tensor) unlist() {
	if t.entry != nil || live.Watched() {
		t.unlistNow()
	}
}

//go:noinline
func (t *Tensor) unlistNow() {
	live.Freed(t.entry)
	t.entry.Remove()
}

// collectListed is collect for a tensor on the list of live tensors.
func collectListed(e *live.Entry) {
	e.Remove()
	if live.Watched() {
		live.Collected(e)
	}
	pacer.Freeing(free, e.Handle)
}
