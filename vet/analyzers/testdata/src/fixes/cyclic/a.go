package cyclic

import "github.com/gotorch/gotorch/torch"

func hook() {
	x := torch.Rand(4).RequiresGrad_()
	x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x).Add(x) }) // want `this hook refers to x`
}

// What it does with the gradient of x cannot be done with its data.
func noFix() {
	x := torch.Rand(4).RequiresGrad_()
	x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x.Grad()) }) // want `this hook refers to x`
}
