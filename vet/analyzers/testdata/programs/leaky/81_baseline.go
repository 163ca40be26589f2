// Command baseline trains a bandit by policy gradients, with a moving average of the
// critic's values as a baseline.
//
// Leaky: tracker's mean is computed from the critic's output without detaching it. The
// loss uses the detached mean, so Backward never fails, but the mean's own graph contains
// all earlier passes of the critic: some nodes and values per step.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/distributions"
)

const arms, features = 4, 6

// tracker is a moving average.
type tracker struct {
	rate float64
	mean *torch.Tensor
}

func (t *tracker) add(x *torch.Tensor) {
	if t.mean == nil {
		t.mean = torch.Disown(x.Detach().Clone())
		return
	}
	old := t.mean
	t.mean = torch.Disown(old.LerpScalar(x, t.rate)) // want leak
	_ = old.Close()
}

func (t *tracker) value() *torch.Tensor { return t.mean.Detach() }

type agent struct {
	actor, critic *nn.Sequential
	opt           *optim.Adam
	baseline      tracker
}

func newAgent() *agent {
	net := func(out int64) *nn.Sequential {
		return nn.NewSequential(nn.NewLinear(features, 16), nn.NewTanh(), nn.NewLinear(16, out))
	}
	a := &agent{actor: net(arms), critic: net(1), baseline: tracker{rate: 0.1}}
	a.opt = optim.NewAdam(append(a.actor.Parameters(), a.critic.Parameters()...), optim.LR(5e-3))
	return a
}

func (a *agent) close() {
	_ = a.opt.Close()
	_ = a.actor.Close()
	_ = a.critic.Close()
	_ = a.baseline.mean.Close()
}

func (a *agent) step(pays func(arm int64) float64) (reward float64) {
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{1, features})
		d := distributions.NewCategorical(distributions.Logits(a.actor.Forward(x)))
		defer d.Close()
		arm := d.Sample()
		reward = pays(arm.ItemInt())
		value := a.critic.Forward(x).Mean()
		a.baseline.add(value)
		advantage := a.baseline.value().RSubScalar(reward)
		loss := d.LogProb(arm).Mul(advantage).Neg().Sum().Add(F.MSELoss(value, torch.FullLike(value, reward)))
		a.opt.ZeroGrad()
		loss.Backward()
		a.opt.Step()
	})
	return reward
}

func main() {
	torch.ManualSeed(26)
	a := newAgent()
	defer a.close()
	total := 0.0
	for step := range 250 {
		total += a.step(func(arm int64) float64 { return float64(arm) / arms })
		if step%125 == 124 {
			fmt.Printf("step %d: mean reward %.3f\n", step+1, total/float64(step+1))
		}
	}
}
