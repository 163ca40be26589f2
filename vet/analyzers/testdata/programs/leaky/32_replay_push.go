// A replay buffer whose Push ignores the capacity.
package main

import (
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type memoryItem struct {
	obs, act, nextObs *torch.Tensor
	done              bool
}

type replayMemory struct {
	capacity int
	items    []memoryItem
}

func (m *replayMemory) Push(it memoryItem) {
	m.items = append(m.items, it) // want leak
}

func (m *replayMemory) Sample(n int) []memoryItem {
	out := make([]memoryItem, n)
	for i := range out {
		out[i] = m.items[rand.Intn(len(m.items))]
	}
	return out
}

func main() {
	actor := nn.NewLinear(8, 2)
	defer actor.Close()
	opt := optim.NewAdam(actor.Parameters(), optim.LR(3e-4))
	defer opt.Close()
	mem := &replayMemory{capacity: 10000}
	obs := torch.Randn(torch.Shape{8})
	for {
		act := actor.Forward(obs).Detach()
		next := obs.Add(torch.RandnLike(obs).MulScalar(0.1))
		mem.Push(memoryItem{obs, act, next, rand.Float64() < 0.01})
		obs = next
		loss := torch.Zeros(torch.Shape{})
		for _, it := range mem.Sample(16) {
			loss = loss.Add(actor.Forward(it.obs).Sub(it.act).Square().Mean())
		}
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}
}
