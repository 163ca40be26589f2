// Command ema_graph trains with an exponential moving average of the weights, which is
// used for the evaluation.
//
// Leaky: the average is computed from the parameters with gradients on. Every new shadow
// tensor has a graph that refers to the graph of the previous shadow tensor. So each step
// adds some nodes for each parameter to a graph that reaches back to the first step.
// Nothing detaches the tensors.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const decay = 0.99

// ema has a smoothed copy of each parameter.
type ema struct {
	params, shadow []*torch.Tensor
}

func newEMA(m nn.Module) *ema {
	e := &ema{params: m.Parameters()}
	for _, p := range e.params {
		e.shadow = append(e.shadow, torch.Disown(p.Detach().Clone()))
	}
	return e
}

func (e *ema) update() {
	torch.Scope(func() {
		for i, p := range e.params {
			next := e.shadow[i].MulScalar(decay).Add(p.MulScalar(1 - decay))
			_ = e.shadow[i].Close()
			e.shadow[i] = torch.Disown(next) // want leak
		}
	})
}

// distance returns how far the parameters are from their averages.
func (e *ema) distance() (d float64) {
	torch.NoGrad(func() {
		torch.Scope(func() {
			for i, p := range e.params {
				d += p.Sub(e.shadow[i]).Square().Sum().Item()
			}
		})
	})
	return d
}

func (e *ema) close() {
	for _, s := range e.shadow {
		_ = s.Close()
	}
}

func main() {
	torch.ManualSeed(7)
	model := nn.NewSequential(nn.NewLinear(6, 24), nn.NewGELU(), nn.NewLinear(24, 2))
	defer model.Close()
	opt := optim.NewAdam(model.Parameters(), optim.LR(1e-2))
	defer opt.Close()
	avg := newEMA(model)
	defer avg.close()
	for step := range torch.ScopedRange(300) {
		x := torch.Randn(torch.Shape{32, 6})
		y := x.Sum(torch.Dim(1)).GtScalar(0).Long()
		opt.ZeroGrad()
		loss := F.CrossEntropy(model.Forward(x), y)
		loss.Backward()
		opt.Step()
		avg.update()
		if step%100 == 99 {
			fmt.Printf("step %d: loss %.4f, distance %.5f\n", step+1, loss.Item(), avg.distance())
		}
	}
}
