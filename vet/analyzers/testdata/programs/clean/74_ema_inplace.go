// Command ema_inplace trains with a smoothed copy of the model, and swaps the weights for
// the evaluation.
//
// Clean: the shadow tensors are updated in place and without gradients, so they have no
// graph. For the swap the live weights are cloned once. The clones are closed when the
// weights are back.
package main

import (
	"fmt"
	"log"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type ema struct {
	model  nn.Module
	decay  float64
	shadow nn.StateDict
	steps  int
}

func newEMA(model nn.Module, decay float64) *ema {
	return &ema{model: model, decay: decay, shadow: model.StateDict().Clone()}
}

func (e *ema) update() {
	e.steps++
	weight := 1 - min(e.decay, float64(1+e.steps)/float64(10+e.steps))
	torch.NoGrad(func() {
		for i, live := range e.model.StateDict() {
			e.shadow[i].Tensor.LerpScalar_(live.Tensor, weight)
		}
	})
}

// with runs fn while the model has the smoothed weights.
func (e *ema) with(fn func()) error {
	live := e.model.StateDict().Clone()
	defer closeAll(live)
	if err := e.model.LoadStateDict(e.shadow); err != nil {
		return err
	}
	fn()
	return e.model.LoadStateDict(live)
}

func closeAll(sd nn.StateDict) {
	for _, t := range sd {
		_ = t.Tensor.Close()
	}
}

func main() {
	torch.ManualSeed(54)
	model := nn.NewSequential(nn.NewLinear(7, 28), nn.NewGELU(), nn.NewLinear(28, 2))
	defer model.Close()
	opt := optim.NewSGD(model.Parameters(), optim.LR(0.3))
	defer opt.Close()
	smooth := newEMA(model, 0.95)
	defer closeAll(smooth.shadow)
	step := func() {
		x := torch.Randn(torch.Shape{16, 7})
		opt.ZeroGrad()
		F.CrossEntropy(model.Forward(x), x.Sum(torch.Dim(1)).GtScalar(0).Long()).Backward()
		opt.Step()
		smooth.update()
	}
	for n := range 200 {
		torch.Scope(step)
		if n%50 != 49 {
			continue
		}
		var loss float64
		err := smooth.with(func() {
			torch.NoGrad(func() {
				torch.Scope(func() {
					x := torch.Randn(torch.Shape{256, 7})
					loss = F.CrossEntropy(model.Forward(x), x.Sum(torch.Dim(1)).GtScalar(0).Long()).Item()
				})
			})
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("step %d: smoothed loss %.4f\n", n+1, loss)
	}
}
