// Meta learning: the fast weights are carried from task to task with all their graphs.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
)

type inner struct {
	fast []*torch.Tensor
	lr   float64
}

func (in *inner) adapt(x *torch.Tensor) *torch.Tensor {
	loss := x.MatMul(in.fast[0]).Add(in.fast[1]).Square().Mean()
	grads := torch.Grad([]*torch.Tensor{loss}, in.fast, torch.CreateGraph(true))
	for i, g := range grads {
		in.fast[i] = in.fast[i].Sub(g.MulScalar(in.lr)) // want leak
	}
	return loss
}

func main() {
	w := torch.Randn(torch.Shape{3, 3}).RequiresGrad_()
	b := torch.Zeros(torch.Shape{3}).RequiresGrad_()
	in := &inner{fast: []*torch.Tensor{w, b}, lr: 0.01}
	for task := range 100000 {
		x := torch.Randn(torch.Shape{5, 3})
		loss := in.adapt(x)
		if task%100 == 0 {
			fmt.Println(task, loss.Item())
		}
	}
}
