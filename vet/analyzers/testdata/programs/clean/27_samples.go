// A VAE decodes its codes after each of ten epochs, and writes all the images at the end.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

func main() {
	enc, dec := nn.NewLinear(784, 40), nn.NewLinear(20, 784)
	opt := optim.NewAdam(append(enc.Parameters(), dec.Parameters()...), optim.LR(1e-3))
	defer opt.Close()
	codes := torch.Randn(torch.Shape{16, 20})
	var samples [10]*torch.Tensor
	for epoch := range samples {
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
			samples[epoch] = dec.Forward(codes).Sigmoid().Reshape(16, 1, 28, 28)
		})
	}
	if err := data.WritePNG(torch.Cat(samples[:], 0).Reshape(1, -1, 28), "samples.png"); err != nil {
		fmt.Println(err)
	}
}
