// A trainer keeps its losses in a field.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type trainer struct {
	model  *nn.Sequential
	opt    optim.Optimizer
	losses []*torch.Tensor
}

func newTrainer() *trainer {
	m := nn.NewSequential(nn.NewLinear(10, 20), nn.NewReLU(), nn.NewLinear(20, 1))
	return &trainer{model: m, opt: optim.NewAdam(m.Parameters())}
}

func (t *trainer) step(x, y *torch.Tensor) {
	loss := F.MSELoss(t.model.Forward(x), y)
	t.opt.ZeroGrad()
	loss.Backward()
	t.opt.Step()
	t.losses = append(t.losses, loss) // want leak
}

func (t *trainer) report(step int) {
	fmt.Printf("step %d loss %.4f\n", step, t.losses[len(t.losses)-1].Item())
}

func main() {
	t := newTrainer()
	defer t.model.Close()
	for i := range 100000 {
		x := torch.Randn(torch.Shape{32, 10})
		t.step(x, x.Sum(torch.Dim(1), torch.KeepDim(true)))
		if i%100 == 0 {
			t.report(i)
		}
	}
}
