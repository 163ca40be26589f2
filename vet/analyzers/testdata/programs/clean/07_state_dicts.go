// The three newest copies of the weights are kept; older ones are dropped.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(20, 50), nn.NewTanh(), nn.NewLinear(50, 2))
	defer model.Close()
	opt := optim.NewAdamW(model.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	var checkpoints []nn.StateDict
	for epoch := 0; epoch < 10000; epoch++ {
		x, y := torch.Randn(torch.Shape{256, 20}), torch.RandInt(0, 2, torch.Shape{256})
		loss := F.CrossEntropy(model.Forward(x), y)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		checkpoints = append(checkpoints, model.StateDict().Clone())
		if len(checkpoints) > 3 {
			for _, t := range checkpoints[0] {
				_ = t.Tensor.Close()
			}
			checkpoints = checkpoints[1:]
		}
	}
	if err := model.LoadStateDict(checkpoints[0]); err != nil {
		fmt.Println(err)
	}
}
