// A gradient penalty from torch.Grad with CreateGraph. The optimizer zeroes the
// gradients.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	critic := nn.NewSequential(nn.NewLinear(8, 32), nn.NewTanh(), nn.NewLinear(32, 1))
	defer critic.Close()
	opt := optim.NewAdam(critic.Parameters(), optim.LR(1e-4))
	defer opt.Close()
	for step := range 3000 {
		torch.Scope(func() {
			x := torch.Randn(torch.Shape{16, 8}).RequiresGrad_()
			score := critic.Forward(x).Sum()
			g := torch.Grad([]*torch.Tensor{score}, []*torch.Tensor{x}, torch.CreateGraph(true))[0]
			penalty := g.Norm().Sub(torch.Ones(torch.Shape{})).Square()
			opt.ZeroGrad()
			penalty.Backward()
			opt.Step()
			fmt.Println(step, penalty.Item())
		})
	}
}
