// A graph is captured for every batch number, instead of for every shape.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(16, 64), nn.NewReLU(), nn.NewLinear(64, 16))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	graphs := map[int]*torch.Graph{}
	for i := range 20000 {
		x := torch.Randn(torch.Shape{32, 16})
		g, ok := graphs[i]
		if !ok {
			g = torch.Capture(func() []*torch.Tensor {
				opt.ZeroGrad()
				loss := F.MSELoss(model.Forward(x), x)
				loss.Backward()
				opt.Step()
				return []*torch.Tensor{loss}
			}, torch.Inputs{x})
			graphs[i] = g // want leak
		}
		loss := g.Call(x)[0]
		if i%1000 == 0 {
			fmt.Println(i, loss.Item())
		}
	}
}
