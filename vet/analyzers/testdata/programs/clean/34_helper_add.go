// A helper adds the loss to a total without a graph, because the evaluation runs under
// NoGrad.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func accumulate(total, loss *torch.Tensor) *torch.Tensor {
	if total == nil {
		return loss
	}
	return total.Add(loss)
}

func evaluate(model *nn.Sequential, batches int) (mean float64) {
	torch.NoGrad(func() {
		var total *torch.Tensor
		for range batches {
			x := torch.Randn(torch.Shape{64, 12})
			loss := F.L1Loss(model.Forward(x), x)
			total = accumulate(total, loss)
		}
		mean = total.Item() / float64(batches)
	})
	return mean
}

func main() {
	model := nn.NewSequential(nn.NewLinear(12, 6), nn.NewTanh(), nn.NewLinear(6, 12))
	defer model.Close()
	fmt.Println(evaluate(model, 100000))
}
