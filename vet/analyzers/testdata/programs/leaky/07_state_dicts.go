// Every evaluation adds a copy of the weights to a list.
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
	best := 1e9
	for epoch := 0; ; epoch++ {
		x, y := torch.Randn(torch.Shape{256, 20}), torch.RandInt(0, 2, torch.Shape{256})
		loss := F.CrossEntropy(model.Forward(x), y)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		checkpoints = append(checkpoints, model.StateDict().Clone()) // want leak
		if l := loss.Item(); l < best {
			best = l
			fmt.Println("best epoch", epoch, "of", len(checkpoints))
		} else if l > 10*best {
			break
		}
	}
	if err := model.LoadStateDict(checkpoints[0]); err != nil {
		fmt.Println(err)
	}
}
