// Command lru serves image features through a cache of the most recently used ones.
//
// Clean: the cache has a capacity. An evicted entry is closed. The same lock protects the
// use of entries, so no closed entry is used.
package main

import (
	"container/list"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type entry struct {
	id       int
	features *torch.Tensor
}

// lru maps images to features.
type lru struct {
	mu           sync.Mutex
	capacity     int
	order        *list.List // of *entry, newest first
	at           map[int]*list.Element
	hits, misses int
}

func newLRU(capacity int) *lru {
	return &lru{capacity: capacity, order: list.New(), at: map[int]*list.Element{}}
}

// with calls use with the features of an image. If the features are not in the cache, mk
// computes them.
func (c *lru) with(id int, mk func() *torch.Tensor, use func(*torch.Tensor)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[id]
	if ok {
		c.hits++
		c.order.MoveToFront(e)
	} else {
		c.misses++
		e = c.order.PushFront(&entry{id, mk()})
		c.at[id] = e
		c.evict()
	}
	use(e.Value.(*entry).features)
}

func (c *lru) evict() {
	for c.order.Len() > c.capacity {
		old := c.order.Remove(c.order.Back()).(*entry)
		delete(c.at, old.id)
		_ = old.features.Close()
	}
}

func (c *lru) close() {
	c.capacity = 0
	c.evict()
}

func main() {
	torch.ManualSeed(44)
	net := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(4*6*6, 64))
	defer net.Close()
	net.Eval()
	cache := newLRU(20)
	defer cache.close()
	features := func() (f *torch.Tensor) {
		torch.NoGrad(func() {
			torch.Scope(func() { f = torch.Disown(net.Forward(torch.Rand(torch.Shape{1, 1, 8, 8}))) })
		})
		return f
	}
	sums := make([]float64, 2)
	var clients sync.WaitGroup
	for client := range sums {
		clients.Go(func() {
			for range 150 {
				cache.with(rand.N(40), features, func(f *torch.Tensor) {
					torch.Scope(func() { sums[client] += f.Norm().Item() })
				})
			}
		})
	}
	clients.Wait()
	fmt.Printf("%d hits, %d misses, sum %.1f\n", cache.hits, cache.misses, sums[0]+sums[1])
}
