// The replay buffer of a DQN agent is a ring.
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
	const capacity = 10000
	q := nn.NewSequential(nn.NewLinear(4, 64), nn.NewReLU(), nn.NewLinear(64, 2))
	defer q.Close()
	opt := optim.NewAdam(q.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	buffer := make([]transition, 0, capacity)
	state := torch.Randn(torch.Shape{4})
	for step := 0; ; step++ {
		var action int64
		torch.NoGrad(func() { action = q.Forward(state).ArgMax().ItemInt() })
		next := torch.Randn(torch.Shape{4})
		tr := transition{state, next, action, rand.Float64()}
		if len(buffer) < capacity {
			buffer = append(buffer, tr)
		} else {
			buffer[step%capacity] = tr
		}
		state = next
		states := make([]*torch.Tensor, 0, 64)
		for range 64 {
			states = append(states, buffer[rand.Intn(len(buffer))].state)
		}
		loss := q.Forward(torch.Stack(states, 0)).Mean()
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}
}
