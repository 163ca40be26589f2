// Command consumer fits y = 2x - 1 with one linear layer, and saves the layer to the file
// named by its argument.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/safetensors"
)

func main() {
	torch.ManualSeed(0)
	model := nn.NewLinear(1, 1)
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	x := torch.Linspace(-1, 1, 32).Reshape(32, 1)
	y := x.MulScalar(2).SubScalar(1)
	var last float64
	for range 200 {
		torch.Scope(func() {
			loss := F.MSELoss(model.Forward(x), y)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			last = loss.Item()
		})
	}
	fmt.Printf("libtorch %s, loss %.2e, %d bytes in use\n", torch.Version(), last, memory.Allocated(torch.CPU))
	if !(last < 1e-6) {
		log.Fatal("the loss is not below 1e-6")
	}
	if err := safetensors.SaveFile(model.StateDict().Map(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}
