// A GAN keeps all generated images, so that it can also show old images to the
// discriminator.
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
	defer gen.Close()
	defer dis.Close()
	optG := optim.NewAdam(gen.Parameters(), optim.LR(2e-4))
	optD := optim.NewAdam(dis.Parameters(), optim.LR(2e-4))
	defer optG.Close()
	defer optD.Close()
	ones, zeros := torch.Ones(torch.Shape{64, 1}), torch.Zeros(torch.Shape{64, 1})
	var pool []*torch.Tensor
	for range 50000 {
		fake := gen.Forward(torch.Randn(torch.Shape{64, 64}))
		pool = append(pool, fake) // want leak
		old := pool[rand.Intn(len(pool))].Detach()
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
