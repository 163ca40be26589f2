// A gradient penalty with CreateGraph: nothing zeroes the gradients, so their graphs add
// up.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	critic := nn.NewSequential(nn.NewLinear(8, 32), nn.NewTanh(), nn.NewLinear(32, 1))
	defer critic.Close()
	params := critic.Parameters()
	for step := range 3000 {
		x := torch.Randn(torch.Shape{16, 8})
		score := critic.Forward(x).Mean()
		score.Backward(torch.CreateGraph(true)) // want leak
		penalty := 0.0
		for _, p := range params {
			penalty += p.Grad().Norm().Item()
		}
		fmt.Println(step, penalty)
	}
}
