// A validation collects its predictions, and nothing empties the list between epochs.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(30, 30), nn.NewReLU(), nn.NewLinear(30, 5))
	defer model.Close()
	var preds, labels []*torch.Tensor
	for epoch := 1; ; epoch++ {
		train(model)
		model.Eval()
		torch.NoGrad(func() {
			for range 20 {
				x, y := torch.Randn(torch.Shape{100, 30}), torch.RandInt(0, 5, torch.Shape{100})
				preds = append(preds, model.Forward(x).ArgMax(torch.Dim(1))) // want leak
				labels = append(labels, y)                                   // want leak
			}
		})
		hits := torch.Cat(preds, 0).Eq(torch.Cat(labels, 0)).Sum().ItemInt()
		fmt.Printf("epoch %d: accuracy %.3f\n", epoch, float64(hits)/float64(100*len(preds)))
		model.Train()
	}
}

func train(m *nn.Sequential) {
	opt := optim.NewSGD(m.Parameters(), optim.LR(0.1))
	defer opt.Close()
	for range 100 {
		x, y := torch.Randn(torch.Shape{100, 30}), torch.RandInt(0, 5, torch.Shape{100})
		opt.ZeroGrad()
		F.CrossEntropy(m.Forward(x), y).Backward()
		opt.Step()
	}
}
