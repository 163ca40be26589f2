// The body of the loop is a function, so its deferred calls run in every step.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewLinear(784, 10)
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	for i := range 60000 {
		func() {
			x := torch.Rand(torch.Shape{128, 784})
			defer x.Close()
			y := torch.RandInt(0, 10, torch.Shape{128})
			defer y.Close()
			loss := F.CrossEntropy(model.Forward(x), y)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			if i%1000 == 0 {
				fmt.Println(i, loss.Item())
			}
		}()
	}
}
