// A validation collects its predictions in lists that are emptied in every epoch.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(30, 30), nn.NewReLU(), nn.NewLinear(30, 5))
	defer model.Close()
	for epoch := 1; ; epoch++ {
		var preds, labels []*torch.Tensor
		model.Eval()
		torch.NoGrad(func() {
			for range 20 {
				x, y := torch.Randn(torch.Shape{100, 30}), torch.RandInt(0, 5, torch.Shape{100})
				preds = append(preds, model.Forward(x).ArgMax(torch.Dim(1)))
				labels = append(labels, y)
			}
		})
		hits := torch.Cat(preds, 0).Eq(torch.Cat(labels, 0)).Sum().ItemInt()
		fmt.Printf("epoch %d: accuracy %.3f\n", epoch, float64(hits)/float64(100*len(preds)))
		model.Train()
	}
}
