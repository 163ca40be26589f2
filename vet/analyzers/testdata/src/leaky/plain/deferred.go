package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func deferred(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		defer x.Close() // leak: deferloop
		sum += x.Item()
	}
	return sum
}
