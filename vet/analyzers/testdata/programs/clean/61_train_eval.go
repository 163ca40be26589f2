// Command train_eval trains a classifier for some epochs and evaluates it after each
// epoch.
//
// Clean: the loaders open a scope for each step, which frees the step's tensors. Losses
// and counts are extracted as numbers, the evaluation runs without gradients, and the
// slice of accuracies contains floats.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

type net struct {
	nn.Base
	fc1, fc2 *nn.Linear
	drop     *nn.Dropout
}

func newNet() *net {
	n := &net{fc1: nn.NewLinear(14, 64), fc2: nn.NewLinear(64, 4), drop: nn.NewDropout(0.2)}
	n.Init(n)
	return n
}

func (n *net) Forward(x *torch.Tensor) *torch.Tensor {
	return n.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return n.fc2.Forward(n.drop.Forward(F.ReLU(n.fc1.Forward(x))))
	})
}

func accuracy(model nn.Layer, loader *data.Loader) float64 {
	right, all := int64(0), int64(0)
	model.Eval()
	torch.NoGrad(func() {
		for batch := range loader.All() {
			right += model.Forward(batch.Input).ArgMax(torch.Dim(1)).Eq(batch.Target).Sum().ItemInt()
			all += batch.Target.Numel()
		}
	})
	model.Train()
	return float64(right) / float64(all)
}

func main() {
	torch.ManualSeed(41)
	var parts []*data.Subset
	x := torch.Randn(torch.Shape{320, 14})
	y := x.Narrow(1, 0, 4).ArgMax(torch.Dim(1))
	set := data.NewTensorDataset(x, y)
	defer set.Close()
	parts = data.RandomSplit(set, []int{256, 64})
	train := data.NewLoader(parts[0], data.BatchSize(32), data.Shuffle(true))
	test := data.NewLoader(parts[1], data.BatchSize(64))

	model := newNet()
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(2e-3))
	defer opt.Close()
	var history []float64
	for epoch := range 30 {
		total := 0.0
		for batch := range train.All() {
			loss := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			total += loss.Item()
		}
		history = append(history, accuracy(model, test))
		if epoch%10 == 9 {
			fmt.Printf("epoch %d: loss %.4f, accuracy %.3f\n", epoch+1, total/float64(train.Len()), history[epoch])
		}
	}
}
