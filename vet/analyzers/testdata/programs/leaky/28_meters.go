// Meters with names keep all tensors that are passed to them.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	model := nn.NewSequential(nn.NewLinear(12, 24), nn.NewReLU(), nn.NewLinear(24, 12))
	defer model.Close()
	opt := optim.NewAdagrad(model.Parameters(), optim.LR(0.01))
	defer opt.Close()
	meters := map[string][]*torch.Tensor{}
	for step := range 100000 {
		x := torch.Randn(torch.Shape{20, 12})
		out := model.Forward(x)
		rec, reg := F.MSELoss(out, x), out.Abs().Mean()
		meters["reconstruction"] = append(meters["reconstruction"], rec) // want leak
		meters["regularity"] = append(meters["regularity"], reg)         // want leak
		opt.ZeroGrad()
		rec.Add(reg.MulScalar(1e-3)).Backward()
		opt.Step()
		if step%500 == 0 {
			for name, vals := range meters {
				fmt.Printf("%s %.4f ", name, vals[len(vals)-1].Item())
			}
			fmt.Println()
		}
	}
}
