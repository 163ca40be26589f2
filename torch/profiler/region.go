package profiler

import (
	"github.com/gotorch/gotorch/internal/native/region"
	"github.com/gotorch/gotorch/torch"
)

// RecordFunction runs fn as a region with the given name. Profiles show the region above
// the operators that fn calls on this goroutine. Regions nest. While no profile is
// recorded, RecordFunction only runs fn. A panic of fn ends the region. RecordFunction
// panics with ErrNil for a nil fn. Python writes "with record_function(name):".
func RecordFunction(name string, fn func()) {
	if fn == nil {
		panic(torch.NilFunc("profiler.RecordFunction", "fn"))
	}
	defer region.Begin(name, region.User).Finish()
	fn()
}

// A Region is a part of a program, begun by BeginFunction.
type Region struct{ r *region.Region }

// BeginFunction begins a region on this goroutine; End ends it. Use it where a function
// literal for RecordFunction is inconvenient. A region that is not ended lasts until the
// profile ends. While no profile is recorded, it does nothing.
//
//	defer profiler.BeginFunction("load").End()
func BeginFunction(name string) Region { return Region{region.Begin(name, region.User)} }

// End ends the region. Further calls do nothing. Any goroutine may call it.
func (r Region) End() { r.r.Finish() }
