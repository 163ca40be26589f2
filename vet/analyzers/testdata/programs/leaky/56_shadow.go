// Shadow weights in a map: the keys stay the same, but the graphs of the values grow.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type average struct {
	decay  float64
	shadow map[string]*torch.Tensor
}

func newAverage(m nn.Module, decay float64) *average {
	a := &average{decay: decay, shadow: map[string]*torch.Tensor{}}
	for _, p := range m.NamedParameters() {
		a.shadow[p.Name] = p.Tensor.Detach().Clone()
	}
	return a
}

func (a *average) update(m nn.Module) {
	for _, p := range m.NamedParameters() {
		a.shadow[p.Name] = a.shadow[p.Name].MulScalar(a.decay).Add(p.Tensor.MulScalar(1 - a.decay)) // want leak
	}
}

func main() {
	net := nn.NewSequential(nn.NewLinear(10, 10), nn.NewSigmoid())
	defer net.Close()
	opt := optim.NewSGD(net.Parameters(), optim.LR(1))
	defer opt.Close()
	avg := newAverage(net, 0.99)
	for i := range 100000 {
		x := torch.Rand(torch.Shape{16, 10})
		opt.ZeroGrad()
		F.MSELoss(net.Forward(x), x).Backward()
		opt.Step()
		avg.update(net)
		if i%100 == 0 {
			fmt.Println(avg.shadow["0.weight"].Norm().Item())
		}
	}
}
