// Command global_hook fine-tunes a copy of a base model for each customer in turn. A hook
// counts the steps of its optimizer and smooths the weights.
//
// Leaky: a tuning registers its method onStep for the steps of all optimizers of the
// process and never removes it. The process keeps the method value, which keeps the
// tuning, which keeps its model and its smoothed weights. Each customer leaves one copy
// of the model and of the smoothed weights.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// tuning adapts a model to one customer.
type tuning struct {
	customer int
	model    *nn.Sequential
	opt      optim.Optimizer
	shadow   nn.StateDict
	steps    int
}

func begin(customer int, base *nn.Sequential) *tuning {
	t := &tuning{customer: customer, model: nn.DeepCopy(base).(*nn.Sequential)}
	t.opt = optim.NewSGD(t.model.Parameters(), optim.LR(0.05))
	t.shadow = t.model.StateDict().Clone()
	optim.RegisterOptimizerStepPostHook(t.onStep) // want leak
	return t
}

// onStep smooths the weights after each of the tuning's steps.
func (t *tuning) onStep(opt optim.Optimizer) {
	if opt != t.opt {
		return
	}
	t.steps++
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, live := range t.model.StateDict() {
				t.shadow[i].Tensor.LerpScalar_(live.Tensor, 0.1)
			}
		})
	})
}

func (t *tuning) run(steps int) (last float64) {
	for range torch.ScopedRange(steps) {
		x := torch.Randn(torch.Shape{16, 10}).AddScalar(float64(t.customer%5) / 5)
		y := x.Sum(torch.Dim(1)).GtScalar(float64(t.customer % 3)).Long()
		t.opt.ZeroGrad()
		loss := F.CrossEntropy(t.model.Forward(x), y)
		loss.Backward()
		t.opt.Step()
		last = loss.Item()
	}
	return last
}

// deliver returns the number of smoothed weights that are above zero.
func (t *tuning) deliver() (positive int64) {
	torch.Scope(func() {
		for _, s := range t.shadow {
			positive += s.Tensor.GtScalar(0).Sum().ItemInt()
		}
	})
	return positive
}

func main() {
	torch.ManualSeed(29)
	base := nn.NewSequential(nn.NewLinear(10, 32), nn.NewReLU(), nn.NewLinear(32, 2))
	defer base.Close()
	for customer := range 50 {
		t := begin(customer, base)
		loss := t.run(4)
		if customer%10 == 9 {
			fmt.Printf("customer %d: %d steps, loss %.4f, %d weights above 0\n", customer, t.steps, loss, t.deliver())
		}
		_ = t.opt.Close()
	}
}
