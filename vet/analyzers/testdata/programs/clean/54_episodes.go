// PPO: the rollouts of eight episodes are used for one update, and then dropped.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func rollout(pi *nn.Linear) []*torch.Tensor {
	var obs []*torch.Tensor
	o := torch.Randn(torch.Shape{4})
	for range 100 {
		obs = append(obs, o)
		torch.NoGrad(func() { o = pi.Forward(o).Add(torch.Randn(torch.Shape{4})) })
	}
	return obs
}

func main() {
	pi := nn.NewLinear(4, 4)
	defer pi.Close()
	opt := optim.NewAdam(pi.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	for n := 0; ; n++ {
		var episodes [][]*torch.Tensor
		for range 8 {
			episodes = append(episodes, rollout(pi))
		}
		for _, episode := range episodes {
			loss := pi.Forward(torch.Stack(episode, 0)).Square().Mean()
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		}
		fmt.Println(n, len(episodes))
	}
}
