// Command step_hook fine-tunes a copy of a base model for each customer in turn. It has a
// hook on the optimizer's steps and another on the gradients of the head.
//
// Clean: end removes the hooks and closes everything that belongs to the customer: the
// copy, the optimizer and the smoothed weights.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type remover interface{ Remove() }

type tuning struct {
	model  *nn.Sequential
	opt    optim.Optimizer
	shadow nn.StateDict
	hooks  []remover
	clips  int
}

func begin(base *nn.Sequential) *tuning {
	t := &tuning{model: nn.DeepCopy(base).(*nn.Sequential)}
	t.opt = optim.NewSGD(t.model.Parameters(), optim.LR(0.05))
	t.shadow = t.model.StateDict().Clone()
	head := t.model.At(t.model.Len() - 1).(*nn.Linear)
	t.hooks = append(t.hooks,
		optim.RegisterOptimizerStepPostHook(t.onStep),
		head.Weight.RegisterHook(t.limit),
	)
	return t
}

// limit clips the gradient of the head.
func (t *tuning) limit(g *torch.Tensor) *torch.Tensor {
	if norm := g.Norm().Item(); norm > 0.5 {
		t.clips++
		return g.MulScalar(0.5 / norm)
	}
	return nil
}

func (t *tuning) onStep(opt optim.Optimizer) {
	if opt != t.opt {
		return
	}
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, live := range t.model.StateDict() {
				t.shadow[i].Tensor.LerpScalar_(live.Tensor, 0.1)
			}
		})
	})
}

func (t *tuning) run(steps int, shift float64) (last float64) {
	for range torch.ScopedRange(steps) {
		x := torch.Randn(torch.Shape{16, 10}).AddScalar(shift)
		t.opt.ZeroGrad()
		loss := F.CrossEntropy(t.model.Forward(x), x.Sum(torch.Dim(1)).GtScalar(1).Long())
		loss.Backward()
		t.opt.Step()
		last = loss.Item()
	}
	return last
}

func (t *tuning) end() {
	for _, h := range t.hooks {
		h.Remove()
	}
	_ = t.opt.Close()
	_ = t.model.Close()
	for _, s := range t.shadow {
		_ = s.Tensor.Close()
	}
}

func main() {
	torch.ManualSeed(65)
	base := nn.NewSequential(nn.NewLinear(10, 32), nn.NewReLU(), nn.NewLinear(32, 2))
	defer base.Close()
	clips := 0
	for customer := range 40 {
		t := begin(base)
		loss := t.run(4, float64(customer%5)/5)
		clips += t.clips
		t.end()
		if customer%10 == 9 {
			fmt.Printf("customer %d: loss %.4f, %d clips so far\n", customer, loss, clips)
		}
	}
}
