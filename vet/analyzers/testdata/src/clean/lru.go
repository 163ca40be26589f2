package clean

import (
	"github.com/gotorch/gotorch/torch"
)

type lru struct {
	known map[int]*torch.Tensor
	order []int
}

func (c *lru) get(i int) *torch.Tensor {
	if t, ok := c.known[i]; ok {
		return t
	}
	if len(c.order) == 16 {
		_ = c.known[c.order[0]].Close()
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
	t := torch.Disown(torch.Ones(torch.Shape{128}))
	c.known[i] = t
	c.order = append(c.order, i)
	return t
}

func useLRU(n int) (sum float64) {
	c := lru{known: map[int]*torch.Tensor{}}
	for i := range n {
		torch.Scope(func() { sum += c.get(i).Sum().Item() })
	}
	return sum
}
