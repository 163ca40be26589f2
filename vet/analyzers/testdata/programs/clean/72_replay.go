// Command replay learns with a Q network, a target network and a replay memory.
//
// Clean: the memory has a capacity of 64 transitions, and a transition is closed when it
// is overwritten. The target network is updated in place, and samples are stacked within
// the step's scope.
package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const size, actions, capacity, batch, gamma = 6, 3, 64, 16, 0.95

type transition struct {
	state, next *torch.Tensor
	action      int64
	reward      float32
}

type replay struct {
	ring []transition
	at   int
}

func (r *replay) push(t transition) {
	if len(r.ring) < capacity {
		r.ring = append(r.ring, t)
		return
	}
	r.ring[r.at].close()
	r.ring[r.at] = t
	r.at = (r.at + 1) % capacity
}

func (t transition) close() {
	_ = t.state.Close()
	_ = t.next.Close()
}

func (r *replay) close() {
	for _, t := range r.ring {
		t.close()
	}
}

func (r *replay) sample() (s, n, a, w *torch.Tensor) {
	var states, nexts []*torch.Tensor
	var acts []int64
	var rewards []float32
	for range batch {
		t := r.ring[rand.N(len(r.ring))]
		states, nexts = append(states, t.state), append(nexts, t.next)
		acts, rewards = append(acts, t.action), append(rewards, t.reward)
	}
	return torch.Stack(states), torch.Stack(nexts), torch.FromSlice(acts, batch, 1), torch.FromSlice(rewards, batch, 1)
}

type agent struct {
	q, target *nn.Sequential
	opt       *optim.Adam
	memory    replay
}

func (a *agent) learn() float64 {
	s, n, acts, w := a.memory.sample()
	var want *torch.Tensor
	torch.NoGrad(func() {
		v, _ := a.target.Forward(n).MaxDim(1, torch.KeepDim(true))
		want = w.Add(v.MulScalar(gamma))
	})
	loss := F.SmoothL1Loss(a.q.Forward(s).Gather(1, acts), want)
	a.opt.ZeroGrad()
	loss.Backward()
	a.opt.Step()
	torch.NoGrad(func() {
		target := a.target.Parameters()
		for i, p := range a.q.Parameters() {
			target[i].LerpScalar_(p, 0.01)
		}
	})
	return loss.Item()
}

func main() {
	torch.ManualSeed(52)
	a := &agent{q: nn.NewSequential(nn.NewLinear(size, 24), nn.NewReLU(), nn.NewLinear(24, actions))}
	a.target = nn.DeepCopy(a.q).(*nn.Sequential)
	a.opt = optim.NewAdam(a.q.Parameters(), optim.LR(1e-3))
	defer a.q.Close()
	defer a.target.Close()
	defer a.opt.Close()
	defer a.memory.close()
	state, last := torch.Randn(torch.Shape{size}), 0.0
	for step := range torch.ScopedRange(300) {
		action := int64(rand.N(actions))
		next := torch.Disown(state.Roll([]int64{action - 1}, []int64{0}).MulScalar(0.9).Add(torch.Randn(torch.Shape{size}).MulScalar(0.1)))
		a.memory.push(transition{state, torch.Disown(next.Clone()), action, float32(next.Index(0).Item())})
		state = next
		if step >= batch {
			last = a.learn()
		}
	}
	_ = state.Close()
	fmt.Printf("loss %.4f\n", last)
}
