// Meta learning: each task starts again from the learned weights, and takes three steps
// with its own fast weights.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

type learner struct {
	w, b *torch.Tensor
	lr   float64
}

func (l *learner) adapt(x *torch.Tensor, steps int) *torch.Tensor {
	fast := []*torch.Tensor{l.w, l.b}
	for range steps {
		loss := x.MatMul(fast[0]).Add(fast[1]).Square().Mean()
		grads := torch.Grad([]*torch.Tensor{loss}, fast, torch.CreateGraph(true))
		for i, g := range grads {
			fast[i] = fast[i].Sub(g.MulScalar(l.lr))
		}
	}
	return x.MatMul(fast[0]).Add(fast[1]).Square().Mean()
}

func main() {
	w := torch.Randn(torch.Shape{3, 3}).RequiresGrad_()
	b := torch.Zeros(torch.Shape{3}).RequiresGrad_()
	l := &learner{w: w, b: b, lr: 0.01}
	opt := optim.NewSGD([]*torch.Tensor{w, b}, optim.LR(0.1))
	defer opt.Close()
	for task := range 100000 {
		loss := l.adapt(torch.Randn(torch.Shape{5, 3}), 3)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		if task%100 == 0 {
			fmt.Println(task, loss.Item())
		}
	}
}
