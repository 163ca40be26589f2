// A method adds to a running loss, and takes the sum out of the step's scope.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type epochStats struct {
	running *torch.Tensor
	batches int
}

func (s *epochStats) add(loss *torch.Tensor) {
	sum := s.running.Add(loss.Detach())
	_ = s.running.Close()
	s.running = torch.Disown(sum)
	s.batches++
}

func main() {
	set := data.NewFuncDataset(2048, func(i int) (data.Example, error) {
		x := torch.Randn(torch.Shape{5})
		return data.Example{Input: x, Target: x.Sum().Reshape(1)}, nil
	})
	loader := data.NewLoader(set, data.BatchSize(64))
	model := nn.NewLinear(5, 1)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.05))
	defer opt.Close()
	for epoch := range 3 {
		stats := &epochStats{running: torch.Zeros(torch.Shape{})}
		for batch := range loader.All() {
			loss := F.MSELoss(model.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			stats.add(loss)
		}
		fmt.Println(epoch, stats.running.Item()/float64(stats.batches))
		_ = stats.running.Close()
	}
}
