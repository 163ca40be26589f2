// REINFORCE: the log probabilities of an episode are dropped when it ends.
package main

import (
	"fmt"
	"math/rand"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func main() {
	pi := nn.NewLinear(4, 2)
	defer pi.Close()
	opt := optim.NewAdam(pi.Parameters(), optim.LR(1e-2))
	defer opt.Close()
	var saved []*torch.Tensor
	for episode := range 10000 {
		for t := 0; t < 200 && rand.Float64() > 0.02; t++ {
			probs := F.Softmax(pi.Forward(torch.Randn(torch.Shape{4})), 0)
			saved = append(saved, probs.Gather(0, probs.Multinomial(1)).Log())
		}
		if len(saved) == 0 {
			continue
		}
		loss := torch.Cat(saved, 0).Sum().MulScalar(-float64(len(saved)))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		fmt.Println(episode, len(saved))
		saved = saved[:0]
	}
}
