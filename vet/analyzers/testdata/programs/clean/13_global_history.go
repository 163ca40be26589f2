// Notebook style: globals, and a history of numbers.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

var (
	history []float64
	weights = torch.Randn(torch.Shape{100}).RequiresGrad_()
	latest  *torch.Tensor
)

func main() {
	target := torch.Linspace(-1, 1, 100)
	for i := 0; i < 1000000; i++ {
		loss := weights.Sub(target).Square().Sum()
		loss.Backward()
		torch.NoGrad(func() { weights.Sub_(weights.Grad().MulScalar(0.001)) })
		torch.ZeroGrad(weights)
		latest = loss.Detach()
		if i%10000 == 0 {
			history = append(history, latest.Item())
			fmt.Println(i, history[len(history)-1])
		}
	}
}
