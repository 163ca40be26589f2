// Double DQN: sometimes a copy replaces the target network, and the previous one is
// closed.
package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type agent struct {
	current *nn.Sequential
	target  nn.Module
}

func (a *agent) sync() {
	if a.target != nil {
		_ = a.target.Close()
	}
	a.target = nn.DeepCopy(a.current)
}

func main() {
	a := &agent{current: nn.NewSequential(nn.NewLinear(9, 64), nn.NewReLU(), nn.NewLinear(64, 9))}
	opt := optim.NewAdam(a.current.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	for {
		a.sync()
		for range 200 {
			board := torch.Randn(torch.Shape{16, 9})
			mine := a.current.Forward(board)
			var theirs *torch.Tensor
			torch.NoGrad(func() { theirs = a.target.(*nn.Sequential).Forward(board) })
			loss := F.MSELoss(mine, theirs)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		}
	}
}
