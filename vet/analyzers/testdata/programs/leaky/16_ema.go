// A moving average of a weight is computed with gradients on, so its graph contains every
// step.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	layer := nn.NewLinear(64, 64)
	defer layer.Close()
	opt := optim.NewSGD(layer.Parameters(), optim.LR(0.05))
	defer opt.Close()
	ema := layer.Weight.Clone()
	for step := 1; step <= 100000; step++ {
		x := torch.Randn(torch.Shape{32, 64})
		loss := F.MSELoss(layer.Forward(x), x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		ema = ema.MulScalar(0.999).Add(layer.Weight.MulScalar(0.001)) // want leak
		if step%1000 == 0 {
			fmt.Println(step, ema.Norm().Item())
		}
	}
}
