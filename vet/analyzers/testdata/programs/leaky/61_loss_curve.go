// Command loss_curve fits a small regression and stores the loss of each step, to draw a
// curve at the end.
//
// Leaky: one loss per step is taken out of its scope and appended to a slice. Each loss
// is a tensor with its graph (its nodes, the batch, the activations), and the slice
// refers to all of them until the program ends.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const steps = 300

func newModel() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(8, 32), nn.NewTanh(), nn.NewLinear(32, 1))
}

// batch returns noisy samples of a linear function.
func batch(n int64) (x, y *torch.Tensor) {
	x = torch.Randn(torch.Shape{n, 8})
	y = x.Sum(torch.Dim(1), torch.KeepDim(true)).MulScalar(0.5).Add(torch.Randn(torch.Shape{n, 1}).MulScalar(0.1))
	return x, y
}

func main() {
	torch.ManualSeed(1)
	model := newModel()
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.05), optim.Momentum(0.9))
	defer opt.Close()

	var losses []*torch.Tensor
	for step := range torch.ScopedRange(steps) {
		x, y := batch(32)
		loss := F.MSELoss(model.Forward(x), y)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		losses = append(losses, torch.Disown(loss)) // want leak
		if step%100 == 99 {
			fmt.Printf("step %d: loss %.4f\n", step+1, losses[step].Item())
		}
	}

	lowest := losses[0].Item()
	for _, l := range losses {
		lowest = min(lowest, l.Item())
	}
	fmt.Printf("lowest loss %.4f of %d steps\n", lowest, len(losses))
}
