// Every step registers a hook on a parameter, and no hook is removed.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{32, 32}).RequiresGrad_()
	for step := range 10000 {
		x := torch.Randn(torch.Shape{8, 32})
		w.RegisterHook(func(g *torch.Tensor) *torch.Tensor { // want leak
			if n := g.Norm().Item(); n > 1 {
				fmt.Println(step, "norm", n)
				return g.DivScalar(n)
			}
			return nil
		})
		x.MatMul(w).ReLU().Sum().Backward()
		torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(0.01)) })
		torch.ZeroGrad(w)
	}
}
