// Contrastive learning: Cat makes the queue of keys longer, but only its end is read.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	query, key := nn.NewLinear(32, 8), nn.NewLinear(32, 8)
	opt := optim.NewSGD(query.Parameters(), optim.LR(0.03))
	defer opt.Close()
	queue := torch.Randn(torch.Shape{256, 8})
	for step := 0; step < 200000; step++ {
		x := torch.Randn(torch.Shape{64, 32})
		q := query.Forward(x)
		var k *torch.Tensor
		torch.NoGrad(func() { k = key.Forward(x.Add(torch.RandnLike(x))) })
		recent := queue.Narrow(0, queue.Size(0)-256, 256)
		logits := torch.Cat([]*torch.Tensor{q.Mul(k).Sum(torch.Dim(1), torch.KeepDim(true)), q.MatMul(recent.T())}, 1)
		loss := F.CrossEntropy(logits, torch.Zeros(torch.Shape{64}, torch.Int64))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		queue = torch.Cat([]*torch.Tensor{queue, k}, 0) // want leak
		if step%100 == 0 {
			fmt.Println(step, loss.Item())
		}
	}
}
