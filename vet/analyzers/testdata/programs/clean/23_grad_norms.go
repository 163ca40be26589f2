// A histogram of the last thousand norms, which are stored as numbers in a ring.
package main

import (
	"container/ring"
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
	norms := ring.New(1000)
	for update := 0; update < 1_000_000; update++ {
		obs, adv := torch.Randn(torch.Shape{128, 6}), torch.Randn(torch.Shape{128})
		loss := policy.Forward(obs).LogSoftmax(1).Select(1, 0).Mul(adv).Mean().Neg()
		opt.ZeroGrad()
		loss.Backward()
		norms.Value = nnutil.ClipGradNorm_(policy.Parameters(), 0.5).Item()
		norms = norms.Next()
		opt.Step()
		if update%1000 == 999 {
			sum := 0.0
			norms.Do(func(v any) { sum += v.(float64) })
			fmt.Println(update, sum/1000)
		}
	}
}
