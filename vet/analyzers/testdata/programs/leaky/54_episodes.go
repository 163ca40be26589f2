// PPO: the rollouts of all previous episodes are kept in a slice of slices.
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
	var episodes [][]*torch.Tensor
	for n := 0; ; n++ {
		episode := rollout(pi)
		episodes = append(episodes, episode) // want leak
		batch := torch.Stack(episode, 0)
		loss := pi.Forward(batch).Square().Mean()
		opt.ZeroGrad()
		loss.Backward()
		opt.Step()
		if n%100 == 0 {
			fmt.Println(len(episodes), loss.Item())
		}
	}
}
