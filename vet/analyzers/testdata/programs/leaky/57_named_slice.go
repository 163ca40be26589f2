// The history is a named slice type with a method that appends to it.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type history []*torch.Tensor

func (h *history) Add(t *torch.Tensor) {
	*h = append(*h, t) // want leak
}

func (h history) Last() float64 { return h[len(h)-1].Item() }

func main() {
	vae := nn.NewSequential(nn.NewLinear(50, 5), nn.NewTanh(), nn.NewLinear(5, 50))
	defer vae.Close()
	opt := optim.NewAdam(vae.Parameters())
	defer opt.Close()
	var rec, kl history
	for step := 0; step < 1000000; step++ {
		x := torch.Randn(torch.Shape{64, 50})
		y := vae.Forward(x)
		a, b := F.MSELoss(y, x), y.Square().Mean()
		opt.ZeroGrad()
		a.Add(b).Backward()
		opt.Step()
		rec.Add(a)
		kl.Add(b)
		if step%1000 == 0 {
			fmt.Println(rec.Last(), kl.Last())
		}
	}
}
