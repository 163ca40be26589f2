// A training script keeps every loss with its graph, for a plot at the end.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	torch.ManualSeed(1)
	model := nn.NewSequential(nn.NewLinear(8, 32), nn.NewReLU(), nn.NewLinear(32, 1))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	var losses []*torch.Tensor
	for step := 0; step < 10000; step++ {
		x := torch.Randn(torch.Shape{64, 8})
		y := x.Sum(torch.Dim(1), torch.KeepDim(true))
		loss := F.MSELoss(model.Forward(x), y)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		losses = append(losses, loss) // want leak
	}
	fmt.Println("last loss", losses[len(losses)-1].Item())
}
