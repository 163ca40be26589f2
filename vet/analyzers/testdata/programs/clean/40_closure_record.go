// A closure appends to a list, which the loop empties when it prints.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	gen := nn.NewLinear(16, 64)
	defer gen.Close()
	opt := optim.NewAdam(gen.Parameters(), optim.LR(1e-4))
	defer opt.Close()
	var trace []*torch.Tensor
	record := func(t *torch.Tensor) {
		trace = append(trace, t.Detach())
	}
	train := func(batch int64) {
		out := gen.Forward(torch.Randn(torch.Shape{batch, 16})).Tanh()
		loss := out.Var().Square()
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		record(loss)
	}
	for i := 0; i < 500000; i++ {
		train(32)
		if len(trace) == 1000 {
			fmt.Println(i, torch.Stack(trace, 0).Mean().Item())
			trace = nil
		}
	}
}
