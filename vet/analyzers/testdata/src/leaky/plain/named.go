package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func named(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w) // leak: looptensor
		sum += x.Item()
	}
	return sum
}
