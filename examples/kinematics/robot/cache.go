package robot

import (
	"container/list"
	"sync"

	"github.com/gotorch/gotorch/examples/kinematics/urdf"
	"github.com/gotorch/gotorch/torch"
)

// Cache makes each serial chain once, and holds the last ones that were asked for. It may be
// used from several goroutines.
type Cache struct {
	mu     sync.Mutex
	bound  int
	recent *list.List // of *cached, the last one asked for in front
	byKey  map[cacheKey]*list.Element
}

// cacheKey names a chain. A file that is parsed again is another robot.
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

// NewCache makes a cache of so many chains at most, 1 or more; fewer panic with ErrValue.
func NewCache(bound int) *Cache {
	if bound < 1 {
		panic(valueError("robot.NewCache", "bound has to be 1 or more, not %d", bound))
	}
	return &Cache{bound: bound, recent: list.New(), byKey: map[cacheKey]*list.Element{}}
}

// SerialChain is NewSerialChain for a chain that the cache may have. It belongs to the cache:
// nobody closes it. When it has gone from the cache and nobody uses it any more, the
// collector frees it.
func (c *Cache) SerialChain(r *urdf.Robot, end, root string, dtype torch.DType,
	dev torch.Device) (*SerialChain, error) {
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

// Len is the number of chains in the cache.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}

// ClearCache closes all chains in the cache: nobody may use them any more.
func (c *Cache) ClearCache() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.recent.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*cached).chain.Close()
	}
	c.recent.Init()
	clear(c.byKey)
}
