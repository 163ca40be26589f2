// Every task of a stream gets its own optimizer, and all of them are kept.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	shared := nn.NewLinear(32, 32)
	defer shared.Close()
	tasks := make(chan int64)
	go func() {
		for i := int64(0); ; i++ {
			tasks <- i
		}
	}()
	var opts []*optim.Adam
	for task := range tasks {
		opt := optim.NewAdam(shared.Parameters(), optim.LR(1e-3))
		opts = append(opts, opt) // want leak
		torch.ManualSeed(uint64(task))
		for range 5 {
			x := torch.Randn(torch.Shape{16, 32})
			loss := F.MSELoss(shared.Forward(x), x.Neg())
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		}
		fmt.Println("task", task, "optimizers", len(opts))
	}
}
