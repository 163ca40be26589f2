// Self-play: the opponents are deep copies of the network, and each generation adds one.
package main

import (
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type league struct {
	current   *nn.Sequential
	opponents []nn.Module
}

func (l *league) promote() {
	l.opponents = append(l.opponents, nn.DeepCopy(l.current)) // want leak
}

func (l *league) opponent() *nn.Sequential {
	return l.opponents[rand.Intn(len(l.opponents))].(*nn.Sequential)
}

func main() {
	l := &league{current: nn.NewSequential(nn.NewLinear(9, 64), nn.NewReLU(), nn.NewLinear(64, 9))}
	opt := optim.NewAdam(l.current.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	for {
		l.promote()
		for range 200 {
			board := torch.Randn(torch.Shape{16, 9})
			mine := l.current.Forward(board)
			var theirs *torch.Tensor
			torch.NoGrad(func() { theirs = l.opponent().Forward(board) })
			loss := F.MSELoss(mine, theirs.Neg())
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		}
	}
}
