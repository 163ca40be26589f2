package profiler

import (
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/torch"
)

// RecordFunction runs fn as a region of that name, which profiles show above the operators
// that fn calls on this goroutine. Regions nest. While no profile is made it only runs fn.
// A panic of fn ends the region. It panics with ErrNil for a nil fn. Python writes
// "with record_function(name):".
func RecordFunction(name string, fn func()) {
	if fn == nil {
		panic(torch.NilFunc("profiler.RecordFunction", "fn"))
	}
	defer region.Begin(name, region.User).Finish()
	fn()
}

// A Region is a part of a program that BeginFunction began.
type Region struct{ r *region.Region }

// BeginFunction begins a region on this goroutine that End ends, for what does not fit
// into a function: RecordFunction otherwise. A region that does not end lasts until the
// profile does. While no profile is made it does nothing.
//
//	defer profiler.BeginFunction("load").End()
func BeginFunction(name string) Region { return Region{region.Begin(name, region.User)} }

// End ends the region. Another End does nothing. Any goroutine may call it.
func (r Region) End() { r.r.Finish() }
