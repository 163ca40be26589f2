// A cache evicts keys from its list of keys, but not from the map.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type featureCache struct {
	order []string
	feats map[string]*torch.Tensor
	max   int
}

func (c *featureCache) get(key string, make func() *torch.Tensor) *torch.Tensor {
	if f, ok := c.feats[key]; ok {
		return f
	}
	f := make()
	c.feats[key] = f // want leak
	c.order = append(c.order, key)
	if len(c.order) > c.max {
		c.order = c.order[1:]
	}
	return f
}

func main() {
	net := nn.NewSequential(nn.NewLinear(100, 50), nn.NewReLU())
	defer net.Close()
	cache := &featureCache{feats: map[string]*torch.Tensor{}, max: 100}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		f := cache.get(in.Text(), func() *torch.Tensor {
			var f *torch.Tensor
			torch.NoGrad(func() { f = net.Forward(torch.Rand(torch.Shape{1, 100})) })
			return f
		})
		fmt.Println(f.Norm().Item())
	}
}
