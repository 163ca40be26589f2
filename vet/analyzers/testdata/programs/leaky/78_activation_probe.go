// Command activation_probe records the statistics of all layers of a network with forward
// hooks during training, and prints them occasionally.
//
// Leaky: the hooks append each layer's detached output to a map of slices, but report
// reads only the newest output. The hooks stay for the whole training run, so each step
// adds one activation per layer, and nothing empties the slices.
package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// probe records outputs by the name of their layer.
type probe struct {
	outputs map[string][]*torch.Tensor
	names   map[nn.Module]string
	hooks   []*nn.Hook
}

func newProbe() *probe {
	return &probe{outputs: map[string][]*torch.Tensor{}, names: map[nn.Module]string{}}
}

// watch installs a hook in every leaf of the model.
func (p *probe) watch(model nn.Module) {
	for _, m := range nn.NamedModules(model) {
		base := m.Module.ModuleBase()
		if len(base.Children()) > 0 {
			continue
		}
		p.names[m.Module] = m.Name
		p.hooks = append(p.hooks, base.RegisterForwardHook(p.record))
	}
}

func (p *probe) record(m nn.Module, _, out []*torch.Tensor) []*torch.Tensor {
	name := p.names[m]
	p.outputs[name] = append(p.outputs[name], torch.Disown(out[0].Detach())) // want leak
	return nil
}

// report prints the mean and the standard deviation of each layer's newest output.
func (p *probe) report(step int) {
	for _, name := range slices.Sorted(maps.Keys(p.outputs)) {
		list := p.outputs[name]
		last := list[len(list)-1]
		torch.Scope(func() {
			fmt.Printf("step %d, layer %s: %.3f ± %.3f\n", step, name, last.Mean().Item(), last.Std().Item())
		})
	}
}

func (p *probe) stop() {
	for _, h := range p.hooks {
		h.Remove()
	}
}

func main() {
	torch.ManualSeed(23)
	model := nn.NewSequential(nn.NewLinear(8, 24), nn.NewTanh(), nn.NewLinear(24, 24), nn.NewTanh(), nn.NewLinear(24, 4))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.1))
	defer opt.Close()
	p := newProbe()
	p.watch(model)
	defer p.stop()
	for step := range torch.ScopedRange(200) {
		x, y := torch.Randn(torch.Shape{16, 8}), torch.RandInt(0, 4, torch.Shape{16})
		opt.ZeroGrad()
		F.CrossEntropy(model.Forward(x), y).Backward()
		opt.Step()
		if step%100 == 99 {
			p.report(step + 1)
		}
	}
}
