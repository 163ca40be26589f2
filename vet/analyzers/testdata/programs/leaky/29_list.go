// Every loss is added to a container/list.
package main

import (
	"container/list"
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	net := nn.NewLinear(3, 3)
	defer net.Close()
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.1), optim.Momentum(0.9))
	defer opt.Close()
	trace := list.New()
	for i := 0; i < 1<<20; i++ {
		x := torch.Rand(torch.Shape{4, 3})
		loss := F.HuberLoss(net.Forward(x), x)
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		trace.PushBack(loss) // want leak
	}
	for e := trace.Front(); e != nil; e = e.Next() {
		fmt.Println(e.Value.(*torch.Tensor).Item())
	}
}
