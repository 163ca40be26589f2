package cyclic

import "github.com/gotorch/gotorch/torch"

func hook() {
	x := torch.Rand(4).RequiresGrad_()
	x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x).Add(x) }) // want `this hook refers to x`
}

// The hook uses the gradient of x, which the detached x does not have.
func noFix() {
	x := torch.Rand(4).RequiresGrad_()
	x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x.Grad()) }) // want `this hook refers to x`
}
