package mem

import "time"

// Keeper decides what to return to the system at each collection.
type Keeper = keeper

// NewKeeper returns a Keeper whose last look was at the given time.
func NewKeeper(at time.Time) *Keeper { return &keeper{cache: at, heap: at} }

// Look is called at a collection.
func (k *Keeper) Look(now time.Time, allocations func() int64, trimCache, trimHeap func()) {
	k.look(now, allocations, trimCache, trimHeap)
}
