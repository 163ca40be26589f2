// Command callbacks has a trainer with callbacks, as training frameworks have.
//
// Leaky: the trainer takes the loss out of the step's scope, because callbacks may need
// it until the end of the epoch, and leaves closing it to the garbage collector. The
// callback history keeps the whole event of each step forever, and with it the loss and
// its graph.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type event struct {
	epoch, step int
	loss        *torch.Tensor
	lr          float64
}

type callback interface {
	onStep(e *event)
	onEpoch(epoch int)
}

// progress prints a line after each epoch.
type progress struct {
	sum float64
	n   int
}

func (p *progress) onStep(e *event) { p.sum, p.n = p.sum+e.loss.Item(), p.n+1 }

func (p *progress) onEpoch(epoch int) {
	if epoch%10 == 9 {
		fmt.Printf("epoch %d: loss %.4f\n", epoch+1, p.sum/float64(p.n))
	}
	p.sum, p.n = 0, 0
}

// history remembers what happened.
type history struct {
	events []*event
	epochs int
}

func (h *history) onStep(e *event) {
	h.events = append(h.events, e) // want leak
}

func (h *history) onEpoch(int) { h.epochs++ }

type trainer struct {
	model     *nn.Sequential
	opt       optim.Optimizer
	callbacks []callback
}

func (t *trainer) emit(e *event) {
	for _, c := range t.callbacks {
		c.onStep(e)
	}
}

func (t *trainer) step(epoch, step int) {
	torch.Scope(func() {
		x := torch.Randn(torch.Shape{16, 10})
		loss := F.MSELoss(t.model.Forward(x), x.Mean(torch.Dim(1), torch.KeepDim(true)))
		t.opt.ZeroGrad()
		loss.Backward()
		t.opt.Step()
		t.emit(&event{epoch, step, torch.Disown(loss), t.opt.ParamGroups()[0].LR()})
	})
}

func (t *trainer) fit(epochs, steps int) {
	for epoch := range epochs {
		for step := range steps {
			t.step(epoch, step)
		}
		for _, c := range t.callbacks {
			c.onEpoch(epoch)
		}
	}
}

func main() {
	torch.ManualSeed(22)
	model := nn.NewSequential(nn.NewLinear(10, 16), nn.NewELU(), nn.NewLinear(16, 1))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters())
	defer opt.Close()
	log := new(history)
	t := &trainer{model, opt, []callback{new(progress), log}}
	t.fit(30, 10)
	fmt.Println(log.epochs, "epochs,", len(log.events), "steps")
}
