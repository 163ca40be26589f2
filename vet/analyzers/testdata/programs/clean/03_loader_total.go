// The sum of an epoch's losses is updated in place, so it outlives the scopes of the
// steps.
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
		return data.Example{Input: torch.Randn(torch.Shape{10}), Target: torch.ScalarTensor(i%3, torch.Int64)}, nil
	})
	loader := data.NewLoader(set, data.BatchSize(50), data.Shuffle(true))
	net := nn.NewLinear(10, 3)
	defer net.Close()
	opt := optim.NewAdam(net.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	total := torch.Zeros(torch.Shape{})
	defer total.Close()
	for epoch := range 5 {
		total.Zero_()
		for batch := range loader.All() {
			loss := F.CrossEntropy(net.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			total.Add_(loss.Detach())
		}
		fmt.Printf("epoch %d: loss %.4f\n", epoch, total.Item())
	}
}
