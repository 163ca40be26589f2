// Command feature_hooks extracts features of inner layers. Each request names the layers.
//
// Clean: hooks are registered for one request and removed at its end, even after a panic.
// The outputs that they store are closed when the answer has been copied.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type extractor struct{ model *nn.Sequential }

// capture runs fn while hooks store the outputs of the named layers in the result.
func (e *extractor) capture(layers []string, fn func()) map[string]*torch.Tensor {
	found := map[string]*torch.Tensor{}
	for _, name := range layers {
		hook := e.model.Get(name).ModuleBase().RegisterForwardHook(
			func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
				found[name] = torch.Disown(out[0].Detach())
				return nil
			})
		defer hook.Remove()
	}
	fn()
	return found
}

// features returns the mean activation of the layers.
func (e *extractor) features(x *torch.Tensor, layers ...string) map[string]float64 {
	means := map[string]float64{}
	torch.NoGrad(func() {
		found := e.capture(layers, func() { e.model.Forward(x) })
		for name, f := range found {
			means[name] = f.Mean().Item()
			_ = f.Close()
		}
	})
	return means
}

func main() {
	torch.ManualSeed(50)
	e := &extractor{nn.NewSequential().
		Add("conv1", nn.NewConv2d(3, 4, 3)).Add("relu1", nn.NewReLU()).
		Add("conv2", nn.NewConv2d(4, 8, 3)).Add("relu2", nn.NewReLU()).
		Add("flat", nn.NewFlatten()).Add("fc", nn.NewLinear(8*8*8, 10))}
	defer e.model.Close()
	e.model.Eval()
	wanted := [][]string{{"relu1"}, {"relu1", "relu2"}, {"fc"}, {"conv2", "fc"}}
	sums := map[string]float64{}
	for request := range 120 {
		torch.Scope(func() {
			x := torch.Rand(torch.Shape{2, 3, 12, 12})
			for name, v := range e.features(x, wanted[request%len(wanted)]...) {
				sums[name] += v
			}
		})
	}
	fmt.Printf("relu1 %.3f, fc %.3f\n", sums["relu1"], sums["fc"])
}
