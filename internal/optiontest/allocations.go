package optiontest

import "testing"

// LeastAllocations counts the allocations of a call several times and returns the
// smallest count. Other counts may be higher, because other goroutines of the process
// allocate too, and because pools are filled again after a garbage collection.
func LeastAllocations(fn func()) float64 {
	least := testing.AllocsPerRun(20, fn)
	for range 4 {
		least = min(least, testing.AllocsPerRun(20, fn))
	}
	return least
}
