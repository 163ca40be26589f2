package optiontest

import "testing"

// LeastAllocations returns the allocations of a call, the least of some counts: others in the
// process allocate too, and a collection in between empties pools, which are then filled anew.
func LeastAllocations(fn func()) float64 {
	least := testing.AllocsPerRun(20, fn)
	for range 4 {
		least = min(least, testing.AllocsPerRun(20, fn))
	}
	return least
}
