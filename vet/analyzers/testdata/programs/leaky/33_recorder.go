// A recorder hooks every layer, and its map of lists is never emptied.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

type recorder struct {
	outputs map[string][]*torch.Tensor
	hooks   []*nn.Hook
}

func record(model nn.Module) *recorder {
	r := &recorder{outputs: map[string][]*torch.Tensor{}}
	for _, child := range nn.NamedModules(model) {
		name := child.Name
		h := child.Module.ModuleBase().RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
			r.outputs[name] = append(r.outputs[name], torch.Disown(out[0].Clone())) // want leak
			return nil
		})
		r.hooks = append(r.hooks, h)
	}
	return r
}

func (r *recorder) means() {
	for name, outs := range r.outputs {
		fmt.Println(name, outs[len(outs)-1].Mean().Item())
	}
}

func main() {
	model := nn.NewSequential(nn.NewLinear(16, 32), nn.NewReLU(), nn.NewLinear(32, 4))
	defer model.Close()
	r := record(model)
	for i := range 50000 {
		torch.Scope(func() { model.Forward(torch.Randn(torch.Shape{8, 16})) })
		if i%1000 == 0 {
			r.means()
		}
	}
	for _, h := range r.hooks {
		h.Remove()
	}
}
