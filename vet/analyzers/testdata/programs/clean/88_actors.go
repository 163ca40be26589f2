// Command actors collects experience on three goroutines while a learner trains (A2C).
//
// Clean: the learner receives each rollout and closes its tensors. When the learner has
// enough rollouts, it cancels the context. Actors that are waiting to send then give up,
// close their tensors, and end before the program does.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const size, actions, steps = 5, 3, 8

type rollout struct{ states, actions, returns *torch.Tensor }

func (r rollout) close() {
	_ = r.states.Close()
	_ = r.actions.Close()
	_ = r.returns.Close()
}

type model struct {
	nn.Base
	body, actor, critic *nn.Linear
}

func newModel() *model {
	m := &model{body: nn.NewLinear(size, 16), actor: nn.NewLinear(16, actions), critic: nn.NewLinear(16, 1)}
	m.Init(m)
	return m
}

func (m *model) Forward(x *torch.Tensor) (logits, value *torch.Tensor) {
	out := m.CallN([]*torch.Tensor{x}, func(in []*torch.Tensor) []*torch.Tensor {
		h := F.ReLU(m.body.Forward(in[0]))
		return []*torch.Tensor{m.actor.Forward(h), m.critic.Forward(h).Squeeze(1)}
	})
	return out[0], out[1]
}

// play collects a rollout. Only the caller owns the tensors.
func play() rollout {
	out := torch.TidyAll(func() []*torch.Tensor {
		states := torch.Randn(torch.Shape{steps, size}).CumSum(0)
		acts := torch.RandInt(0, actions, torch.Shape{steps})
		rewards := states.Gather(1, acts.Unsqueeze(1)).Squeeze(1)
		return []*torch.Tensor{states, acts, rewards.Flip(0).CumSum(0).Flip(0)}
	})
	return rollout{out[0], out[1], out[2]}
}

func actor(ctx context.Context, out chan<- rollout) {
	for {
		r := play()
		select {
		case out <- r:
		case <-ctx.Done():
			r.close()
			return
		}
	}
}

func learn(m *model, opt optim.Optimizer, r rollout) (value float64) {
	defer r.close()
	torch.Scope(func() {
		logits, values := m.Forward(r.states)
		advantage := r.returns.Sub(values.Detach())
		chosen := F.LogSoftmax(logits, 1).Gather(1, r.actions.Unsqueeze(1)).Squeeze(1)
		loss := chosen.Mul(advantage).Mean().Neg().Add(F.MSELoss(values, r.returns).MulScalar(0.5))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		value = loss.Item()
	})
	return value
}

func main() {
	torch.ManualSeed(68)
	m := newModel()
	defer m.Close()
	opt := optim.NewAdam(m.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	ctx, cancel := context.WithCancel(context.Background())
	experience := make(chan rollout)
	var actors sync.WaitGroup
	for range 3 {
		actors.Go(func() { actor(ctx, experience) })
	}
	last := 0.0
	for range 200 {
		last = learn(m, opt, <-experience)
	}
	cancel()
	actors.Wait()
	fmt.Printf("loss %.4f\n", last)
}
