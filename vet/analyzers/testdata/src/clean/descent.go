package clean

import (
	"github.com/gotorch/gotorch/torch"
)

// The steps update w in place; the gradient has no graph.
func descent(n int, w *torch.Tensor) {
	for range n {
		torch.Scope(func() {
			w.SetGrad(nil)
			w.Mul(w).Sum().Backward()
			torch.NoGrad(func() { w.Sub_(w.Grad()) })
		})
	}
}
