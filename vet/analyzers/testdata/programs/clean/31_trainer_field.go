// A trainer has fields for the losses of one epoch, stored as numbers, and for its last
// output.
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
	losses []float64
	last   *torch.Tensor
}

func (t *trainer) step(x, y *torch.Tensor) {
	out := t.model.Forward(x)
	loss := F.MSELoss(out, y)
	t.opt.ZeroGrad()
	loss.Backward()
	t.opt.Step()
	t.losses = append(t.losses, loss.Item())
	t.last = out.Detach()
}

func (t *trainer) epoch(n int) {
	t.losses = t.losses[:0]
	for range 1000 {
		x := torch.Randn(torch.Shape{32, 10})
		t.step(x, x.Sum(torch.Dim(1), torch.KeepDim(true)))
	}
	fmt.Printf("epoch %d loss %.4f output %.2f\n", n, t.losses[len(t.losses)-1], t.last.Mean().Item())
}

func main() {
	m := nn.NewSequential(nn.NewLinear(10, 20), nn.NewReLU(), nn.NewLinear(20, 1))
	defer m.Close()
	t := &trainer{model: m, opt: optim.NewAdam(m.Parameters())}
	for i := range 100 {
		t.epoch(i)
	}
}
