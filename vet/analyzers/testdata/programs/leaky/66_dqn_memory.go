// Command dqn_memory learns to walk to the middle of a line with Q-learning from stored
// transitions.
//
// Leaky: the memory of transitions has no capacity. Each step of the environment adds two
// tensors that belong to no scope, and no tensor is dropped.
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const (
	places = 11
	gamma  = 0.9
	batch  = 16
)

type transition struct {
	state, next *torch.Tensor // (places), one-hot
	action      int64
	reward      float32
}

type memory struct{ all []transition }

func (m *memory) push(t transition) {
	m.all = append(m.all, t) // want leak
}

// sample returns a batch of stacked transitions.
func (m *memory) sample(n int) (state, next, action, reward *torch.Tensor) {
	var states, nexts []*torch.Tensor
	var actions []int64
	var rewards []float32
	for range n {
		t := m.all[rand.N(len(m.all))]
		states, nexts = append(states, t.state), append(nexts, t.next)
		actions, rewards = append(actions, t.action), append(rewards, t.reward)
	}
	return torch.Stack(states), torch.Stack(nexts), torch.FromSlice(actions, int64(n), 1), torch.FromSlice(rewards)
}

func observe(place int) *torch.Tensor {
	x := torch.Zeros(torch.Shape{places})
	x.SetIndex(1, place)
	return torch.Disown(x)
}

func main() {
	torch.ManualSeed(6)
	q := nn.NewSequential(nn.NewLinear(places, 32), nn.NewReLU(), nn.NewLinear(32, 2))
	defer q.Close()
	opt := optim.NewRMSprop(q.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	var m memory
	place, total := rand.N(places), 0.0
	for step := range 300 {
		torch.Scope(func() {
			action := int64(rand.N(2))
			state := observe(place)
			if step > 50 && rand.Float64() > 0.2 {
				torch.NoGrad(func() { action = q.Forward(state).ArgMax().ItemInt() })
			}
			place = min(max(place+int(2*action-1), 0), places-1)
			reward := float32(0)
			if place == places/2 {
				reward = 1
			}
			total += float64(reward)
			m.push(transition{state, observe(place), action, reward})
			if len(m.all) < batch {
				return
			}
			s, n, a, r := m.sample(batch)
			var target *torch.Tensor
			torch.NoGrad(func() { v, _ := q.Forward(n).MaxDim(1); target = r.Add(v.MulScalar(gamma)) })
			loss := F.SmoothL1Loss(q.Forward(s).Gather(1, a).Squeeze(1), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	}
	fmt.Printf("reward %.0f\n", total)
}
