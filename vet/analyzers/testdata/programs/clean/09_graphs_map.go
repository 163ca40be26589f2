// A graph is captured for each batch size. There are two sizes, and both graphs are
// closed.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(16, 64), nn.NewReLU(), nn.NewLinear(64, 16))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	graphs := map[int64]*torch.Graph{}
	for _, n := range []int64{32, 64} {
		x := torch.Randn(torch.Shape{n, 16})
		graphs[n] = torch.Capture(func() []*torch.Tensor {
			opt.ZeroGrad()
			loss := F.MSELoss(model.Forward(x), x)
			loss.Backward()
			opt.Step()
			return []*torch.Tensor{loss}
		}, torch.Inputs{x})
	}
	for i := range 20000 {
		n := int64(32 + 32*(i%2))
		torch.Scope(func() {
			loss := graphs[n].Call(torch.Randn(torch.Shape{n, 16}))[0]
			if i%1000 == 0 {
				fmt.Println(i, loss.Item())
			}
		})
	}
	for _, g := range graphs {
		_ = g.Close()
	}
}
