// Notebook style: all variables are global, including the history.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

var (
	history []*torch.Tensor
	weights = torch.Randn(torch.Shape{100}).RequiresGrad_()
)

func main() {
	target := torch.Linspace(-1, 1, 100)
	for i := 0; i < 1000000; i++ {
		err := weights.Sub(target).Abs().Max()
		history = append(history, err) // want leak
		loss := weights.Sub(target).Square().Sum()
		loss.Backward()
		torch.NoGrad(func() { weights.Sub_(weights.Grad().MulScalar(0.001)) })
		torch.ZeroGrad(weights)
		if i%10000 == 0 {
			fmt.Println(i, history[i].Item())
		}
	}
}
