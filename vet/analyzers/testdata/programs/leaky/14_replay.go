// The replay buffer of a DQN agent has no capacity.
package main

import (
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type transition struct {
	state, next *torch.Tensor
	action      int64
	reward      float64
}

func main() {
	q := nn.NewSequential(nn.NewLinear(4, 64), nn.NewReLU(), nn.NewLinear(64, 2))
	defer q.Close()
	opt := optim.NewAdam(q.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	var buffer []transition
	state := torch.Randn(torch.Shape{4})
	for step := 0; ; step++ {
		var action int64
		torch.NoGrad(func() { action = q.Forward(state).ArgMax().ItemInt() })
		next := torch.Randn(torch.Shape{4})
		buffer = append(buffer, transition{state, next, action, rand.Float64()}) // want leak
		state = next
		if len(buffer) < 64 {
			continue
		}
		var states []*torch.Tensor
		for range 64 {
			states = append(states, buffer[rand.Intn(len(buffer))].state)
		}
		values := q.Forward(torch.Stack(states, 0))
		loss := values.Mean()
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}
}
