package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func unnamed(n int, w *torch.Tensor) (sum float64) {
	for range n {
		sum += w.Mul(w).Sum().Item() // leak: looptensor
	}
	return sum
}
