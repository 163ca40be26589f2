package torch

import (
	"github.com/gotorch/gotorch/internal/native/live"
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/internal/native/trace"
)

// list enters a new tensor into the list of the living that package memory
// reports. It comes before the tensor gets its owner.
//
//go:noinline
func (t *Tensor) list(site trace.ID) {
	if site == 0 {
		site = trace.Capture(2) // a callback's tensor: no operator began here
	}
	t.entry = live.Add(t.h, site)
}

// unlist takes a tensor off that list, before its handle is freed. Only who took
// the handle gets here.
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

// collectListed is collect for a tensor on the list.
func collectListed(e *live.Entry) {
	e.Remove()
	if live.Watched() {
		live.Collected(e)
	}
	pacer.Freeing(free, e.Handle)
}
