// Command reinforce learns a walk with REINFORCE. The log probabilities of an episode are
// needed, with their graphs, until the end of the episode.
//
// Clean: the lists belong to an episode's trajectory, whose tensors are in the episode's
// scope. Episodes have at most 30 steps. The rewards of the last 100 episodes are stored
// as numbers.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

const goal, longest, gamma = 5, 30, 0.95

type trajectory struct {
	logProbs, entropies []*torch.Tensor
	rewards             []float64
}

type policy struct {
	nn.Base
	body, head *nn.Linear
}

func newPolicy() *policy {
	p := &policy{body: nn.NewLinear(2, 16), head: nn.NewLinear(16, 2)}
	p.Init(p)
	return p
}

func (p *policy) Forward(x *torch.Tensor) *torch.Tensor {
	return p.Call(x, func(x *torch.Tensor) *torch.Tensor { return p.head.Forward(p.body.Forward(x).Tanh()) })
}

// act samples an action and records its log probability.
func (t *trajectory) act(p *policy, place int) (action int64) {
	noted := torch.TidyAll(func() []*torch.Tensor {
		x := torch.FromSlice([]float32{float32(place) / goal, float32(len(t.rewards)) / longest}, 1, 2)
		d := distributions.NewCategorical(distributions.Logits(p.Forward(x)))
		defer d.Close()
		drawn := d.Sample()
		action = drawn.ItemInt()
		return []*torch.Tensor{d.LogProb(drawn), d.Entropy()}
	})
	t.logProbs, t.entropies = append(t.logProbs, noted[0]), append(t.entropies, noted[1])
	return action
}

func (t *trajectory) loss() *torch.Tensor {
	returns, sum := make([]float32, len(t.rewards)), 0.0
	for i := len(returns) - 1; i >= 0; i-- {
		sum = t.rewards[i] + gamma*sum
		returns[i] = float32(sum)
	}
	gain := torch.Cat(t.logProbs).Mul(torch.FromSlice(returns)).Sum()
	return gain.Add(torch.Cat(t.entropies).Sum(), torch.Alpha(0.01)).Neg()
}

func episode(p *policy, opt optim.Optimizer) (total float64) {
	var t trajectory
	place := 0
	for len(t.rewards) < longest && place < goal {
		place = max(place+int(2*t.act(p, place)-1), -goal)
		reward := -0.1
		if place == goal {
			reward = 1
		}
		t.rewards = append(t.rewards, reward)
		total += reward
	}
	opt.ZeroGrad()
	t.loss().Backward()
	opt.Step()
	return total
}

func main() {
	torch.ManualSeed(61)
	p := newPolicy()
	defer p.Close()
	opt := optim.NewAdam(p.Parameters(), optim.LR(1e-2))
	defer opt.Close()
	var recent []float64
	for n := range torch.ScopedRange(60) {
		recent = append(recent, episode(p, opt))
		if len(recent) > 100 {
			recent = recent[1:]
		}
		if n%20 == 19 {
			x := torch.NewTensor(recent)
			fmt.Printf("episode %d: mean reward %.2f, loss of a guess %.3f\n", n+1, x.Mean().Item(), F.L1Loss(x, torch.ZerosLike(x)).Item())
		}
	}
}
