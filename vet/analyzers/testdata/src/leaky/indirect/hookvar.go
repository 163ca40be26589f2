package indirect

import (
	"github.com/gotorch/gotorch/torch"
)

func hookVar(n int) {
	for range n {
		x := torch.Ones(torch.Shape{64}, torch.RequiresGrad(true))
		scale := func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) }
		x.RegisterHook(scale) // leak: cyclic
	}
}
