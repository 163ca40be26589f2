package clean

import (
	"github.com/gotorch/gotorch/torch"
)

func hooks(n int, w *torch.Tensor) {
	w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Tanh() })
	for range n {
		torch.Scope(func() {
			x := torch.Ones(torch.Shape{64}).RequiresGrad_()
			data := x.Detach()
			x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(data) })
			h := w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return nil })
			defer h.Remove()
			x.Mul(w).Sum().Backward()
		})
	}
}
