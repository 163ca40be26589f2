package amp

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// libtorch keeps casts of weights in one table for the process, by the weight alone. So
// what one goroutine cast, to whatever dtype and from whatever value, another one would
// get, which has no reason to expect it. So one goroutine at a time has the table, the
// first that wants it, until its outermost autocast ends and the table is emptied. Others
// cast each time, which is never wrong, and no slower where a pass uses each weight once.

// region is a goroutine's state within Autocast.
type region struct {
	depth int  // how many closures of Autocast it is in
	cache bool // what CacheEnabled says here
	owner bool // it has the table
}

// regions has the state of each goroutine within Autocast.
var regions goroutine.Local[region]

// taken says that a goroutine has the table.
var taken atomic.Bool

// enter goes one level deeper. leave takes it back.
func enter() *region {
	r := regions.Get()
	if r == nil {
		r = &region{cache: true}
		regions.Set(r)
	}
	r.depth++
	return r
}

// keeps reports whether the goroutine's casts may be kept from here on.
func (r *region) keeps(enabled bool) bool {
	if r.cache && enabled && !r.owner {
		r.owner = taken.CompareAndSwap(false, true)
	}
	return r.cache && r.owner
}

func (r *region) leave(cache bool) {
	r.cache = cache
	if r.depth--; r.depth > 0 {
		return
	}
	regions.Delete()
	if r.owner {
		clearCache()
		taken.Store(false)
	}
}

func clearCache() {
	// It fails where there is no memory for an error alone.
	if st := cgotorch.ClearAutocastCache(); st != 0 {
		cgotorch.TakeError(st)
	}
}

// ClearAutocastCache forgets the casts of weights that autocast has kept, of whatever
// goroutine, as the end of an outermost [Autocast] does. Where weights are changed within
// autocast, this has the next operator cast them anew. Follows
// torch.clear_autocast_cache.
func ClearAutocastCache() { clearCache() }

// IsAutocastCacheEnabled reports whether the goroutine asks for its casts of weights to
// be kept, by [CacheEnabled] of the innermost [Autocast]; outside of it that is true.
// Follows torch.is_autocast_cache_enabled.
func IsAutocastCacheEnabled() bool {
	r := regions.Get()
	return r == nil || r.cache
}
