package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func closure(n int, w *torch.Tensor) (sum float64) {
	step := func() {
		x := w.Mul(w) // leak: looptensor
		sum += x.Item()
	}
	for range n {
		step()
	}
	return sum
}
