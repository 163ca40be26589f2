// A hook keeps the latest output of a layer, and frees the previous one.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	conv := nn.NewConv2d(3, 8, 3)
	model := nn.NewSequential(conv, nn.NewReLU(), nn.NewFlatten(), nn.NewLinear(8*30*30, 10))
	defer model.Close()
	var features *torch.Tensor
	hook := conv.RegisterForwardHook(func(m nn.Module, in, out []*torch.Tensor) []*torch.Tensor {
		_ = features.Close()
		features = torch.Disown(out[0].Detach())
		return nil
	})
	defer hook.Remove()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	for step := range 5000 {
		torch.Scope(func() {
			images := torch.Rand(torch.Shape{16, 3, 32, 32})
			loss := F.CrossEntropy(model.Forward(images), torch.RandInt(0, 10, torch.Shape{16}))
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			if step%100 == 0 {
				fmt.Println(step, loss.Item(), features.Mean().Item())
			}
		})
	}
}
