package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func cache(n int) (sum float64) {
	cache := map[int]*torch.Tensor{}
	for i := range n {
		torch.Scope(func() {
			if cache[i] == nil {
				cache[i] = torch.Keep(torch.Ones(torch.Shape{128})) // leak: growing
			}
			sum += cache[i].Sum().Item()
		})
	}
	return sum
}
