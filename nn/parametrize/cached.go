package parametrize

import (
	"slices"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// cache holds the tensors that were computed within [Cached].
var cache struct {
	sync.Mutex
	depth  int
	values map[*ParametrizationList]*torch.Tensor
}

// Cached runs fn. Within fn, each parametrized tensor is computed only once, for a layer that is
// called many times in one forward pass. As in Python, Cached affects the whole process: other
// goroutines that run meanwhile use the same tensors. Within fn, do not change the originals, and
// run Backward only once for everything that is computed. It panics with ErrNil for a nil fn.
// Follows torch.nn.utils.parametrize.cached.
func Cached(fn func()) {
	if fn == nil {
		panic(torch.NilFunc("Cached", "fn"))
	}
	cache.Lock()
	if cache.depth++; cache.depth == 1 {
		cache.values = map[*ParametrizationList]*torch.Tensor{}
	}
	cache.Unlock()
	defer func() {
		cache.Lock()
		defer cache.Unlock()
		if cache.depth--; cache.depth > 0 {
			return
		}
		for l, t := range cache.values {
			if own := slices.Concat(l.Parameters(), l.Buffers()); !slices.Contains(own, t) {
				_ = t.Close()
			}
		}
		cache.values = nil
	}()
	fn()
}

// computeValue computes a parametrized tensor, or returns it from the cache.
func computeValue(m nn.Module, name string) *torch.Tensor {
	l := listOf(m, name)
	cache.Lock()
	on, t := cache.depth > 0, cache.values[l]
	cache.Unlock()
	if t != nil {
		return t
	}
	t = l.Forward()
	if on {
		cache.Lock()
		defer cache.Unlock()
		if other := cache.values[l]; other != nil { // another goroutine has stored the tensor in the meantime
			return other
		}
		if cache.depth > 0 && t != nil {
			cache.values[l] = torch.Disown(t)
		}
	}
	return t
}
