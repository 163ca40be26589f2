// A VAE decodes some codes after every epoch, and keeps all images.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	enc, dec := nn.NewLinear(784, 40), nn.NewLinear(20, 784)
	opt := optim.NewAdam(append(enc.Parameters(), dec.Parameters()...), optim.LR(1e-3))
	defer opt.Close()
	codes := torch.Randn(torch.Shape{16, 20})
	samples := make([]*torch.Tensor, 0, 64)
	for epoch := 1; ; epoch++ {
		for range 100 {
			x := torch.Rand(torch.Shape{64, 784})
			h := enc.Forward(x)
			mu, logvar := h.Narrow(1, 0, 20), h.Narrow(1, 20, 20)
			z := mu.Add(torch.RandnLike(mu).Mul(logvar.MulScalar(0.5).Exp()))
			loss := F.MSELoss(dec.Forward(z).Sigmoid(), x)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		}
		torch.NoGrad(func() {
			samples = append(samples, dec.Forward(codes).Sigmoid().Reshape(16, 1, 28, 28)) // want leak
		})
		grid := samples[len(samples)-1].Reshape(4*28, 4*28)
		fmt.Println(epoch, grid.Mean().Item())
	}
}
