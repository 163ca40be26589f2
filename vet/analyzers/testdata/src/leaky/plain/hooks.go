package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func hooks(n int, w *torch.Tensor) {
	for range n {
		torch.Scope(func() {
			w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Tanh() }) // leak: growing
			w.Mul(w).Sum().Backward()
			torch.Zeros(nil)
			w.SetGrad(nil)
		})
	}
}
