// Gradient accumulation: after four losses, a backward pass of their sum runs and a new
// sum begins.
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
			total = total.Add(loss)
		}
		if step%4 == 3 {
			opt.ZeroGrad()
			total.Backward()
			opt.Step()
			fmt.Println(step, total.Item()/4)
			total = nil
		}
	}
}
