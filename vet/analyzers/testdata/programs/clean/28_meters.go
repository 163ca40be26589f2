// Meters with names hold sums and counts.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type sum struct {
	total float64
	n     int
}

func main() {
	model := nn.NewSequential(nn.NewLinear(12, 24), nn.NewReLU(), nn.NewLinear(24, 12))
	defer model.Close()
	opt := optim.NewAdagrad(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	meters := map[string]sum{}
	latest := map[string]*torch.Tensor{}
	for step := range 100000 {
		x := torch.Randn(torch.Shape{20, 12})
		out := model.Forward(x)
		latest["reconstruction"] = F.MSELoss(out, x)
		latest["regularity"] = out.Abs().Mean()
		opt.ZeroGrad()
		latest["reconstruction"].Add(latest["regularity"].MulScalar(1e-3)).Backward()
		opt.Step()
		for name, v := range latest {
			meters[name] = sum{meters[name].total + v.Item(), meters[name].n + 1}
		}
		if step%500 == 0 {
			fmt.Println(meters)
		}
	}
}
