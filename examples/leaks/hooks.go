package main

import "github.com/gotorch/gotorch/torch"

// libtorch keeps the hook as long as the tensor, and the hook keeps the tensor. Go's
// collector cannot see this cycle. To avoid it, do not refer to the tensor in its hook.
func leakyHooks() (step func(int), end func()) {
	var hooks []*torch.Hook
	return func(int) {
			x := torch.Ones(torch.Shape{64}).RequiresGrad_() // leaks
			hooks = append(hooks, x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(x) }))
		}, func() {
			for _, h := range hooks {
				h.Remove()
			}
		}
}

func fixedHooks() (step func(int), end func()) {
	return func(int) {
		x := torch.Ones(torch.Shape{64}).RequiresGrad_()
		data := x.Detach()
		x.RegisterHook(func(g *torch.Tensor) *torch.Tensor { return g.Mul(data) })
	}, func() {}
}
