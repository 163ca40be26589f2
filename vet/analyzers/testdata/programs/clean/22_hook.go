// One hook is removed at the end of each step. The other is registered only once.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{32, 32}).RequiresGrad_()
	w.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
		if n := g.Norm().Item(); n > 1 {
			return g.DivScalar(n)
		}
		return nil
	})
	for step := range 10000 {
		x := torch.Randn(torch.Shape{8, 32})
		h := w.RegisterHook(func(g *torch.Tensor) *torch.Tensor {
			fmt.Println(step, g.Norm().Item())
			return nil
		})
		x.MatMul(w).ReLU().Sum().Backward()
		h.Remove()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.01)) })
		torch.ZeroGrad(w)
	}
}
