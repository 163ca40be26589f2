// A cleaner removes the entries that have expired.
package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type cached struct {
	vec     *torch.Tensor
	expires time.Time
}

type ttlCache struct {
	mu      sync.Mutex
	entries map[string]cached
	ttl     time.Duration
}

func (c *ttlCache) lookup(key string, make func() *torch.Tensor) *torch.Tensor {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		e = cached{make(), time.Now().Add(c.ttl)}
		c.entries[key] = e
	}
	return e.vec
}

func (c *ttlCache) clean() {
	for now := range time.Tick(c.ttl) {
		c.mu.Lock()
		maps.DeleteFunc(c.entries, func(_ string, e cached) bool { return now.After(e.expires) })
		c.mu.Unlock()
	}
}

func main() {
	embed := nn.NewEmbedding(1000, 64)
	defer embed.Close()
	c := &ttlCache{entries: map[string]cached{}, ttl: time.Minute}
	go c.clean()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		vec := c.lookup(in.Text(), func() *torch.Tensor {
			return embed.Forward(torch.RandInt(0, 1000, torch.Shape{12})).Mean(torch.Dim(0)).Detach()
		})
		fmt.Println(vec.Norm().Item())
	}
}
