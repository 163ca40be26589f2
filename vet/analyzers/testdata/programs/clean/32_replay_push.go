// A replay buffer that drops the oldest item when it is full.
package main

import (
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type memoryItem struct{ obs, act *torch.Tensor }

func (it memoryItem) close() {
	_ = it.obs.Close()
	_ = it.act.Close()
}

type replayMemory struct {
	capacity int
	items    []memoryItem
}

func (m *replayMemory) Push(it memoryItem) {
	if len(m.items) == m.capacity {
		m.items[0].close()
		m.items = m.items[1:]
	}
	m.items = append(m.items, it)
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
	opt := optim.NewAdam(actor.Parameters(), optim.LR(3e-4))
	defer opt.Close()
	mem := &replayMemory{capacity: 10000}
	obs := torch.Randn(torch.Shape{8})
	for {
		mem.Push(memoryItem{obs.Clone(), actor.Forward(obs).Detach()})
		obs = torch.Randn(torch.Shape{8})
		loss := torch.Zeros(torch.Shape{})
		for _, it := range mem.Sample(16) {
			loss = loss.Add(actor.Forward(it.obs).Sub(it.act).Square().Mean())
		}
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}
}
