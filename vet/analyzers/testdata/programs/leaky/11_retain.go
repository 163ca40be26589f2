// Every step runs the backward pass of the sum of all losses, which works only with
// RetainGraph.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	net := nn.NewLinear(4, 1)
	defer net.Close()
	opt := optim.NewSGD(net.Parameters(), optim.LR(1e-4))
	defer opt.Close()
	var total *torch.Tensor
	for step := range 2000 {
		x := torch.Randn(torch.Shape{8, 4})
		loss := F.L1Loss(net.Forward(x), torch.Ones(torch.Shape{8, 1}))
		if total == nil {
			total = loss
		} else {
			total = total.Add(loss) // want leak
		}
		opt.ZeroGrad()
		total.Backward(torch.RetainGraph(true))
		opt.Step()
		if step%100 == 0 {
			fmt.Println(step, total.Item()/float64(step+1))
		}
	}
}
