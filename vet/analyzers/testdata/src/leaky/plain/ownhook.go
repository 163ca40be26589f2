package plain

import (
	"github.com/gotorch/gotorch/torch"
)

func ownHook(n int) {
	for range n {
		x := torch.Ones(torch.Shape{64}).RequiresGrad_()
		x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) }) // leak: cyclic
	}
}
