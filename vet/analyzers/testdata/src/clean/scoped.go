package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func scoped(n int, w *torch.Tensor) (sum float64) {
	for range n {
		torch.Scope(func() { sum += w.Mul(w).Sum().Item() })
	}
	return sum
}
