// A registry in a package-level variable has one place for each block.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

var registry = map[string]*torch.Tensor{}

func register(name string, t *torch.Tensor) *torch.Tensor {
	_ = registry[name].Close()
	registry[name] = t.Detach()
	return t
}

func main() {
	var layers []*nn.Linear
	var params []*torch.Tensor
	for range 3 {
		l := nn.NewLinear(24, 24)
		layers = append(layers, l)
		params = append(params, l.Parameters()...)
	}
	opt := optim.NewAdam(params)
	defer opt.Close()
	for range 100000 {
		x := torch.Randn(torch.Shape{16, 24})
		y := x
		for i, l := range layers {
			y = register(fmt.Sprintf("block%d", i), F.ReLU(l.Forward(y)))
		}
		loss := F.MSELoss(y, x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}
	for name, t := range registry {
		fmt.Println(name, t.Norm().Item())
	}
}
