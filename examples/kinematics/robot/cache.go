package robot

import (
	"container/list"
	"sync"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// Cache creates each serial chain only once, and keeps the most recently used chains.
// Several goroutines may use it.
type Cache struct {
	mu     sync.Mutex
	bound  int
	recent *list.List // list of *cached; the most recently used comes first
	byKey  map[cacheKey]*list.Element
}

// cacheKey identifies a chain. It contains the robot's address, so parsing a file again
// does not reuse the first robot's chains.
type cacheKey struct {
	robot     *urdf.Robot
	end, root string
	dtype     torch.DType
	dev       torch.Device
}

type cached struct {
	key   cacheKey
	chain *SerialChain
}

// NewCache returns a cache of at most bound chains. It panics with ErrValue if bound is
// below 1.
func NewCache(bound int) *Cache {
	if bound < 1 {
		panic(valueError("robot.NewCache", "bound must be at least 1, got %d", bound))
	}
	return &Cache{bound: bound, recent: list.New(), byKey: map[cacheKey]*list.Element{}}
}

// SerialChain is like NewSerialChain, but returns a cached chain if there is one. The
// chain belongs to the cache; do not close it. The garbage collector frees the chain
// after the cache has dropped it and it is no longer used.
func (c *Cache) SerialChain(r *urdf.Robot, end, root string, dtype torch.DType,
	dev torch.Device,
) (*SerialChain, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := cacheKey{r, end, root, dtype, dev}
	if e := c.byKey[key]; e != nil {
		c.recent.MoveToFront(e)
		return e.Value.(*cached).chain, nil
	}
	chain, err := NewSerialChain(r, end, root, dtype, dev)
	if err != nil {
		return nil, err
	}
	c.byKey[key] = c.recent.PushFront(&cached{key, chain})
	for c.recent.Len() > c.bound {
		last := c.recent.Remove(c.recent.Back()).(*cached)
		delete(c.byKey, last.key)
	}
	return chain, nil
}

// Len returns the number of chains in the cache.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}

// ClearCache closes all chains in the cache. The chains must no longer be in use.
func (c *Cache) ClearCache() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.recent.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*cached).chain.Close()
	}
	c.recent.Init()
	clear(c.byKey)
}
