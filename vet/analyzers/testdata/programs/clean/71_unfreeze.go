// Command unfreeze fine-tunes a model in phases: first the head, then the layers below
// it. Each phase has its own optimizer.
//
// Clean: the optimizer of a phase is closed before the next one is created, so the state
// of only one optimizer exists at a time. Gradients are removed at the end of a phase.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/optim/schedule"
	"github.com/gotorch/gotorch/torch"
)

type phase struct {
	name  string
	from  int // index of the first layer that is trained
	lr    float64
	steps int
}

type tuner struct {
	model *nn.Sequential
	opt   *optim.AdamW
	sched *schedule.CosineAnnealingLR
}

// begin creates the optimizer of a phase, which replaces the previous phase's optimizer.
func (t *tuner) begin(p phase) {
	t.end()
	t.model.SetRequiresGrad(false)
	var params []*torch.Tensor
	for i := p.from; i < t.model.Len(); i++ {
		t.model.At(i).ModuleBase().SetRequiresGrad(true)
		params = append(params, t.model.At(i).Parameters()...)
	}
	t.opt = optim.NewAdamW(params, optim.LR(p.lr))
	t.sched = schedule.NewCosineAnnealingLR(t.opt, p.steps)
}

func (t *tuner) end() {
	if t.opt != nil {
		t.opt.ZeroGrad()
		_ = t.opt.Close()
	}
	t.opt, t.sched = nil, nil
}

func (t *tuner) run(p phase) (last float64) {
	t.begin(p)
	for range torch.ScopedRange(p.steps) {
		x := torch.Randn(torch.Shape{16, 12})
		y := x.Square().Narrow(1, 0, 3).ArgMax(torch.Dim(1))
		t.opt.ZeroGrad()
		loss := F.CrossEntropy(t.model.Forward(x), y)
		loss.Backward()
		t.opt.Step()
		t.sched.Step()
		last = loss.Item()
	}
	return last
}

func main() {
	torch.ManualSeed(51)
	t := &tuner{model: nn.NewSequential(nn.NewLinear(12, 32), nn.NewReLU(), nn.NewLinear(32, 32), nn.NewReLU(), nn.NewLinear(32, 3))}
	defer t.model.Close()
	defer t.end()
	for cycle := range 10 {
		for _, p := range []phase{{"head", 4, 1e-2, 8}, {"upper layers", 2, 3e-3, 8}, {"all", 0, 1e-3, 8}} {
			loss := t.run(p)
			if cycle == 9 {
				fmt.Printf("%s: loss %.4f\n", p.name, loss)
			}
		}
	}
}
