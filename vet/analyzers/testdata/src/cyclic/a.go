package cyclic

import "github.com/gotorch/gotorch/torch"

func hook(w *torch.Tensor) *torch.Hook {
	x := torch.Ones(torch.Shape{4}).RequiresGrad_()
	x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) }) // want `this hook refers to x`
	x.RegisterPostAccumulateGradHook(func(*torch.Tensor) { x.SetGrad(nil) }) // want `use the hook's argument, which is x`
	x.RegisterPostAccumulateGradHook(func(p *torch.Tensor) { p.SetGrad(nil) })
	y := torch.Ones(torch.Shape{4}).RequiresGrad_()
	defer y.Close()
	y.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(y) })
	z := torch.Ones(torch.Shape{4}).RequiresGrad_()
	z.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(w) })
	meant := torch.Ones(torch.Shape{4}).RequiresGrad_()
	//torchvet:ignore cyclic lives as long as the program
	meant.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(meant) })
	return y.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(y) })
}
