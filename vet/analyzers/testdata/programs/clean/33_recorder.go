// A recorder hooks every layer, and its map is emptied after each forward pass.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type recorder struct {
	outputs map[string][]*torch.Tensor
}

func record(model nn.Module) *recorder {
	r := &recorder{outputs: map[string][]*torch.Tensor{}}
	for _, child := range nn.NamedModules(model) {
		name := child.Name
		child.Module.ModuleBase().RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			r.outputs[name] = append(r.outputs[name], torch.Disown(out[0].Clone()))
			return nil
		})
	}
	return r
}

func (r *recorder) flush() {
	for name, outs := range r.outputs {
		fmt.Println(name, outs[0].Mean().Item())
		for _, t := range outs {
			_ = t.Close()
		}
	}
	r.outputs = map[string][]*torch.Tensor{}
}

func main() {
	model := nn.NewSequential(nn.NewLinear(16, 32), nn.NewReLU(), nn.NewLinear(32, 4))
	defer model.Close()
	r := record(model)
	for range 50000 {
		torch.Scope(func() { model.Forward(torch.Randn(torch.Shape{8, 16})) })
		r.flush()
	}
}
