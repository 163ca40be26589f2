package mem

import "time"

// Keeper decides at each collection what to return to the system.
type Keeper = keeper

// NewKeeper returns a Keeper that last looked at the given time.
func NewKeeper(at time.Time) *Keeper { return &keeper{cache: at, heap: at} }

// Look calls look, as a garbage collection does.
func (k *Keeper) Look(now time.Time, allocations func() int64, trimCache, trimHeap func()) {
	k.look(now, allocations, trimCache, trimHeap)
}
