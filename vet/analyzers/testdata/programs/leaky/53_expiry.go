// Entries have an expiry time, but nothing removes expired entries.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type cached struct {
	vec     *torch.Tensor
	expires time.Time
}

type ttlCache struct {
	entries map[string]cached
	ttl     time.Duration
}

func (c *ttlCache) lookup(key string) *torch.Tensor {
	if e, ok := c.entries[key]; ok && time.Now().Before(e.expires) {
		return e.vec
	}
	return nil
}

func (c *ttlCache) store(key string, vec *torch.Tensor) {
	c.entries[key] = cached{vec, time.Now().Add(c.ttl)} // want leak
}

func main() {
	embed := nn.NewEmbedding(1000, 64)
	defer embed.Close()
	c := &ttlCache{entries: map[string]cached{}, ttl: time.Minute}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		key := in.Text()
		vec := c.lookup(key)
		if vec == nil {
			ids := torch.RandInt(0, 1000, torch.Shape{int64(len(key) + 1)})
			vec = embed.Forward(ids).Mean(torch.Dim(0)).Detach()
			c.store(key, vec)
		}
		fmt.Println(vec.Norm().Item())
	}
}
