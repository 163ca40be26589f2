// A pool of fifty generated images, in which a new image replaces an old one.
package main

import (
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	gen := nn.NewSequential(nn.NewLinear(64, 128), nn.NewReLU(), nn.NewLinear(128, 784), nn.NewTanh())
	dis := nn.NewSequential(nn.NewLinear(784, 128), nn.NewReLU(), nn.NewLinear(128, 1))
	optG := optim.NewAdam(gen.Parameters(), optim.LR(2e-4))
	optD := optim.NewAdam(dis.Parameters(), optim.LR(2e-4))
	defer optG.Close()
	defer optD.Close()
	ones, zeros := torch.Ones(torch.Shape{64, 1}), torch.Zeros(torch.Shape{64, 1})
	var pool []*torch.Tensor
	for range 50000 {
		fake := gen.Forward(torch.Randn(torch.Shape{64, 64}))
		if len(pool) < 50 {
			pool = append(pool, fake.Detach())
		} else {
			i := rand.Intn(50)
			_ = pool[i].Close()
			pool[i] = fake.Detach()
		}
		old := pool[rand.Intn(len(pool))]
		lossD := F.BinaryCrossEntropyWithLogits(dis.Forward(old), zeros)
		optD.ZeroGrad()
		lossD.Backward()
		optD.Step()
		lossG := F.BinaryCrossEntropyWithLogits(dis.Forward(fake), ones)
		optG.ZeroGrad()
		lossG.Backward()
		optG.Step()
	}
}
