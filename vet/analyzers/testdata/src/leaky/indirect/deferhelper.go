package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func release(t *torch.Tensor) { _ = t.Close() }

func deferHelper(n int, w *torch.Tensor) (sum float64) {
	for range n {
		x := w.Mul(w)
		defer release(x) // leak: deferloop
		sum += x.Item()
	}
	return sum
}
