// A registry in a package-level variable stores every activation under a new name.
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
	registry[name] = t // want leak
	return t
}

func block(i, step int, l *nn.Linear, x *torch.Tensor) *torch.Tensor {
	return register(fmt.Sprintf("block%d.%d", i, step), F.ReLU(l.Forward(x)))
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
	for step := range 100000 {
		x := torch.Randn(torch.Shape{16, 24})
		y := x
		for i, l := range layers {
			y = block(i, step, l, y)
		}
		loss := F.MSELoss(y, x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
	}
	fmt.Println(len(registry))
}
