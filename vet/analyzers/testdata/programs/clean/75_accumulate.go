// Command accumulate takes one optimizer step for every four batches.
//
// Clean: gradients add up in place until ZeroGrad, each Backward frees its graph, and the
// losses of a group are summed as a detached tensor that is closed with the group.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

const group = 4

type accumulator struct {
	model nn.Layer
	opt   optim.Optimizer
	sum   *torch.Tensor // of the losses of the group, or nil
	n     int
}

// add runs the backward pass of a batch. It returns the mean loss when a group is
// complete.
func (a *accumulator) add(b data.Batch, last bool) (loss float64, done bool) {
	l := F.CrossEntropy(a.model.Forward(b.Input), b.Target)
	l.DivScalar(group).Backward()
	if a.sum == nil {
		a.sum = torch.Disown(l.Detach().Clone())
	} else {
		a.sum.Add_(l.Detach())
	}
	a.n++
	if a.n < group && !last {
		return 0, false
	}
	return a.finish(), true
}

func (a *accumulator) finish() float64 {
	nnutil.ClipGradNorm_(a.model.Parameters(), 1)
	a.opt.Step()
	a.opt.ZeroGrad()
	loss := a.sum.Item() / float64(a.n)
	_ = a.sum.Close()
	a.sum, a.n = nil, 0
	return loss
}

func main() {
	torch.ManualSeed(55)
	x := torch.Randn(torch.Shape{240, 9})
	set := data.NewTensorDataset(x, x.Narrow(1, 0, 3).ArgMax(torch.Dim(1)))
	defer set.Close()
	model := nn.NewSequential(nn.NewLinear(9, 30), nn.NewReLU(), nn.NewLinear(30, 3))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(5e-3))
	defer opt.Close()
	loader := data.NewLoader(set, data.BatchSize(16), data.Shuffle(true))
	acc := &accumulator{model: model, opt: opt}
	for epoch := range 20 {
		total, groups := 0.0, 0
		for batch := range loader.All() {
			if loss, ok := acc.add(batch, batch.Index == loader.Len()-1); ok {
				total += loss
				groups++
			}
		}
		if epoch%10 == 9 {
			fmt.Printf("epoch %d: loss %.4f in %d groups\n", epoch+1, total/float64(groups), groups)
		}
	}
}
