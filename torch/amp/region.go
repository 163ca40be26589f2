package amp

import (
	"sync/atomic"

	"github.com/gotorch/gotorch/cgotorch"
	"github.com/gotorch/gotorch/internal/native/goroutine"
)

// libtorch caches casts of weights in one table for the process, keyed only by the weight. A
// goroutine could therefore get a cast that another goroutine made, with the wrong dtype or an
// old value. So only one goroutine at a time uses the table: the first that needs it, until its
// outermost Autocast ends and the table is cleared. Other goroutines cast each time, which is
// always correct, and no slower if a pass uses each weight once.

// region is the state of a goroutine within Autocast.
type region struct {
	depth int  // the number of nested calls of Autocast
	cache bool // the value of CacheEnabled in the innermost Autocast
	owner bool // whether the goroutine uses libtorch's table of casts
}

// regions holds the state of each goroutine within Autocast.
var regions goroutine.Local[region]

// taken is true while a goroutine uses libtorch's table of casts.
var taken atomic.Bool

// enter records that the goroutine entered an Autocast; leave records its end.
func enter() *region {
	r := regions.Get()
	if r == nil {
		r = &region{cache: true}
		regions.Set(r)
	}
	r.depth++
	return r
}

// keeps reports whether libtorch may cache the goroutine's casts from now on. If so, it
// reserves libtorch's table for this goroutine.
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
	// The call fails only if there is no memory for the error itself.
	if st := cgotorch.ClearAutocastCache(); st != 0 {
		cgotorch.TakeError(st)
	}
}

// ClearAutocastCache clears the cached casts of weights of all goroutines, as the end of
// an outermost [Autocast] does. Call it after you change weights within Autocast, so
// that the next operator casts them again. Follows torch.clear_autocast_cache.
func ClearAutocastCache() { clearCache() }

// IsAutocastCacheEnabled reports whether the goroutine's casts of weights may be cached,
// according to [CacheEnabled] of the innermost [Autocast]. Outside of Autocast it
// returns true. Follows torch.is_autocast_cache_enabled.
func IsAutocastCacheEnabled() bool {
	r := regions.Get()
	return r == nil || r.cache
}
