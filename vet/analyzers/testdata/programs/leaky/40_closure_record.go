// A closure appends to a list of the enclosing function.
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
		trace = append(trace, t) // want leak
	}
	train := func(batch int64) {
		z := torch.Randn(torch.Shape{batch, 16})
		out := gen.Forward(z).Tanh()
		loss := out.Var().Sub(torch.Ones(torch.Shape{})).Square()
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		record(loss)
	}
	for i := 0; i < 500000; i++ {
		train(32)
		if i%1000 == 0 {
			fmt.Println(i, trace[len(trace)-1].Item())
		}
	}
}
