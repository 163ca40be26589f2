// A helper appends to a list and keeps the list short.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func push[T any](list []T, v T, most int) []T {
	list = append(list, v)
	if len(list) > most {
		list = list[len(list)-most:]
	}
	return list
}

func main() {
	model := nn.NewLinear(9, 3)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	var outputs []*torch.Tensor
	for i := range 200000 {
		x, y := torch.Randn(torch.Shape{30, 9}), torch.RandInt(0, 3, torch.Shape{30})
		logits := model.Forward(x)
		outputs = push(outputs, logits.Detach(), 10)
		opt.ZeroGrad()
		F.CrossEntropy(logits, y).Backward()
		opt.Step()
		if i%1000 == 0 {
			fmt.Println(i, torch.Stack(outputs, 0).Norm().Item())
		}
	}
}
