// REINFORCE: the log probabilities of an episode are not dropped when it ends.
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
	var rewards []float64
	for episode := range 10000 {
		rewards = rewards[:0]
		for t := 0; t < 200 && rand.Float64() > 0.02; t++ {
			probs := F.Softmax(pi.Forward(torch.Randn(torch.Shape{4})), 0)
			a := probs.Multinomial(1)
			saved = append(saved, probs.Gather(0, a).Log()) // want leak
			rewards = append(rewards, 1)
		}
		if len(rewards) == 0 {
			continue
		}
		last := saved[len(saved)-len(rewards):]
		loss := torch.Cat(last, 0).Sum().MulScalar(-float64(len(rewards)))
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		fmt.Println(episode, len(rewards))
	}
}
