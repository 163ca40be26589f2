// Command eval_hooks trains a classifier. After every epoch it counts the dead units of
// the hidden layer with a forward hook.
//
// Leaky: deadUnits registers a new hook in each epoch and never removes it. The layer
// keeps every hook, and every hook keeps its own tensor of counts and costs time.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const (
	epochs = 60
	units  = 128
)

type classifier struct {
	nn.Base
	hidden, out *nn.Linear
	act         *nn.ReLU
}

func newClassifier() *classifier {
	c := &classifier{hidden: nn.NewLinear(10, units), act: nn.NewReLU(), out: nn.NewLinear(units, 3)}
	c.Init(c)
	return c
}

func (c *classifier) Forward(x *torch.Tensor) *torch.Tensor {
	return c.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return c.out.Forward(c.act.Forward(c.hidden.Forward(x)))
	})
}

// deadUnits counts the units that are zero for all of x.
func deadUnits(c *classifier, x *torch.Tensor) (dead int64) {
	active := torch.Disown(torch.Zeros(torch.Shape{units}))
	c.act.RegisterForwardHook(func(_ nn.Module, _, out []*torch.Tensor) []*torch.Tensor { // want leak
		torch.NoGrad(func() { active.Add_(out[0].GtScalar(0).Sum(torch.Dim(0))) })
		return nil
	})
	torch.NoGrad(func() {
		c.Forward(x)
		dead = active.EqScalar(0).Sum().ItemInt()
	})
	return dead
}

func main() {
	torch.ManualSeed(4)
	c := newClassifier()
	defer c.Close()
	opt := optim.NewAdam(c.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	probe := torch.Randn(torch.Shape{16, 10})
	defer probe.Close()
	for epoch := range epochs {
		total := 0.0
		for range torch.ScopedRange(5) {
			x, y := torch.Randn(torch.Shape{32, 10}), torch.RandInt(0, 3, torch.Shape{32})
			opt.ZeroGrad()
			loss := F.CrossEntropy(c.Forward(x), y)
			loss.Backward()
			opt.Step()
			total += loss.Item()
		}
		torch.Scope(func() {
			dead := deadUnits(c, probe)
			if epoch%20 == 19 {
				fmt.Printf("epoch %d: loss %.4f, %d dead units\n", epoch+1, total/5, dead)
			}
		})
	}
}
