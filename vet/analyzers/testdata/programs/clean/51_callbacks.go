// Messages are stored as closures over numbers, and printed at the end of each epoch.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewConv2d(1, 4, 3), nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(4*26*26, 10))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	for range 10 {
		var pending []func()
		for step := range 1000 {
			x, y := torch.Rand(torch.Shape{32, 1, 28, 28}), torch.RandInt(0, 10, torch.Shape{32})
			loss := F.CrossEntropy(model.Forward(x), y)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			value, mean := loss.Item(), x.Mean().Item()
			pending = append(pending, func() { fmt.Println(step, value, mean) })
		}
		for _, print := range pending {
			print()
		}
	}
}
