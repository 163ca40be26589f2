package amp

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// libtorch caches casts of weights in one table for the process, keyed by the weight
// alone. One goroutine could therefore get casts of another one, of another dtype or an
// old value. So only one goroutine at a time uses the table, the first that wants it,
// until its outermost autocast ends and the table is emptied. Others cast each time,
// which is always correct, and no slower if a pass uses each weight once.

// region is a goroutine's state within Autocast.
type region struct {
	depth int  // the number of enclosing closures of Autocast
	cache bool // the value of CacheEnabled here
	owner bool // it uses the table
}

// regions has the state of each goroutine within Autocast.
var regions goroutine.Local[region]

// taken says that a goroutine uses the table.
var taken atomic.Bool

// enter goes one level deeper; leave undoes it.
func enter() *region {
	r := regions.Get()
	if r == nil {
		r = &region{cache: true}
		regions.Set(r)
	}
	r.depth++
	return r
}

// keeps reports whether the goroutine's casts may be cached from here on.
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
	// It fails only without memory for an error.
	if st := cgotorch.ClearAutocastCache(); st != 0 {
		cgotorch.TakeError(st)
	}
}

// ClearAutocastCache clears the cached casts of weights, of any goroutine, as the end of
// an outermost [Autocast] does. Call it after changing weights within autocast, so that
// the next operator casts them again. Follows torch.clear_autocast_cache.
func ClearAutocastCache() { clearCache() }

// IsAutocastCacheEnabled reports whether the goroutine's casts of weights are to be
// cached, according to [CacheEnabled] of the innermost [Autocast]; outside of it that is
// true. Follows torch.is_autocast_cache_enabled.
func IsAutocastCacheEnabled() bool {
	r := regions.Get()
	return r == nil || r.cache
}
