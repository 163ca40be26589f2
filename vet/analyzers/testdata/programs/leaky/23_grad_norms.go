// The norms of all gradients are kept as tensors, for a histogram.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nnutil"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	policy := nn.NewSequential(nn.NewLinear(6, 48), nn.NewTanh(), nn.NewLinear(48, 3))
	defer policy.Close()
	opt := optim.NewAdam(policy.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	var norms []*torch.Tensor
	for update := 0; update < 1_000_000; update++ {
		obs := torch.Randn(torch.Shape{128, 6})
		adv := torch.Randn(torch.Shape{128})
		logp := policy.Forward(obs).LogSoftmax(1).Select(1, 0)
		loss := logp.Mul(adv).Mean().Neg()
		opt.ZeroGrad()
		loss.Backward()
		norms = append(norms, nnutil.ClipGradNorm_(policy.Parameters(), 0.5)) // want leak
		opt.Step()
		if update%1000 == 0 {
			fmt.Println(update, torch.Stack(norms, 0).Mean().Item())
		}
	}
}
