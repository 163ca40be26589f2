// The running mean is the result of a Tidy, and the previous mean is closed.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

func main() {
	w := torch.Randn(torch.Shape{256}).RequiresGrad_()
	mean := torch.Zeros(torch.Shape{})
	for i := 0; i < 1000; i++ {
		next := torch.Tidy(func() *torch.Tensor {
			loss := w.Sub(torch.Randn(torch.Shape{256})).Square().Sum()
			loss.Backward()
			torch.NoGrad(func() { w.Sub_(w.Grad().MulScalar(1e-3)) })
			torch.ZeroGrad(w)
			return mean.MulScalar(0.9).Add(loss.Detach().MulScalar(0.1))
		})
		_ = mean.Close()
		mean = next
	}
	fmt.Println("mean of the loss:", mean.Item())
}
