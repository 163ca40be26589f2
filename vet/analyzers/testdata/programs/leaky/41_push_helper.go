// A three-line helper appends, which hides where the list grows.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func push[T any](list []T, v T) []T {
	return append(list, v)
}

func main() {
	model := nn.NewLinear(9, 3)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	var outputs []*torch.Tensor
	for i := range 200000 {
		x := torch.Randn(torch.Shape{30, 9})
		y := torch.RandInt(0, 3, torch.Shape{30})
		logits := model.Forward(x)
		outputs = push(outputs, logits) // want leak
		opt.ZeroGrad()
		F.CrossEntropy(logits, y).Backward()
		opt.Step()
		if i%1000 == 0 {
			fmt.Println(i, outputs[i].Norm().Item())
		}
	}
}
