// The sum of an epoch's losses is created in the scope of a step, and used in the next
// step.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func main() {
	set := data.NewFuncDataset(1000, func(i int) (data.Example, error) {
		return data.Example{Input: torch.Randn(torch.Shape{10}), Target: torch.FromSlice([]int64{int64(i % 3)}).Squeeze()}, nil
	})
	loader := data.NewLoader(set, data.BatchSize(50), data.Shuffle(true))
	net := nn.NewLinear(10, 3)
	defer net.Close()
	opt := optim.NewAdam(net.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	for epoch := range 5 {
		total := torch.Zeros(torch.Shape{})
		for batch := range loader.All() {
			loss := F.CrossEntropy(net.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			total = total.Add(loss.Detach()) // want leak
		}
		fmt.Printf("epoch %d: loss %.4f\n", epoch, total.Item())
	}
}
