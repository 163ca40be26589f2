// The running mean is created in the scope of a step, but the next step reads it.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{256}).RequiresGrad_()
	mean := torch.Zeros(torch.Shape{})
	for i := 0; i < 1000; i++ {
		torch.Scope(func() {
			loss := w.Sub(torch.Randn(torch.Shape{256})).Square().Sum()
			loss.Backward()
			torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(1e-3)) })
			torch.ZeroGrad(w)
			mean = mean.MulScalar(0.9).Add(loss.Detach().MulScalar(0.1)) // want leak
		})
	}
	fmt.Println("mean of the loss:", mean.Item())
}
