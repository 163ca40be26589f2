package mem

import "time"

// Keeper decides what goes back at each collection.
type Keeper = keeper

// NewKeeper returns one that has looked at a time.
func NewKeeper(at time.Time) *Keeper { return &keeper{cache: at, heap: at} }

// Look is called at a collection.
func (k *Keeper) Look(now time.Time, allocations func() int64, trimCache, trimHeap func()) {
	k.look(now, allocations, trimCache, trimHeap)
}
