// Command wgan_gp trains a Wasserstein GAN with a gradient penalty on points of a ring.
//
// Clean: the penalty's gradient comes from torch.Grad with CreateGraph, which stores no
// gradient in the leaf, so there is no cycle. The Backward of the loss records no graph,
// and the scope of the step frees the whole graph.
package main

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const noise, points, lambda = 4, 24, 10.0

func mlp(in, out int64) *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(in, 24), nn.NewTanh(), nn.NewLinear(24, out))
}

func ring(n int64) *torch.Tensor {
	return torch.Tidy(func() *torch.Tensor {
		angle := torch.Rand(torch.Shape{n}).MulScalar(2 * math.Pi)
		return torch.Stack([]*torch.Tensor{angle.Cos(), angle.Sin()}, 1)
	})
}

func penalty(critic nn.Layer, real, fake *torch.Tensor) *torch.Tensor {
	mix := torch.Rand(torch.Shape{real.Size(0), 1})
	between := fake.Lerp(real, mix.Expand(-1, 2)).Detach().RequiresGrad_()
	slope := torch.Grad([]*torch.Tensor{critic.Forward(between).Sum()}, []*torch.Tensor{between},
		torch.CreateGraph(true))[0]
	return slope.Square().Sum(torch.Dim(1)).AddScalar(1e-12).Sqrt().SubScalar(1).Square().Mean()
}

type gan struct {
	generator, critic *nn.Sequential
	optG, optC        *optim.Adam
}

func (g *gan) critic1() float64 {
	real := ring(points)
	var fake *torch.Tensor
	torch.NoGrad(func() { fake = g.generator.Forward(torch.Randn(torch.Shape{points, noise})) })
	loss := g.critic.Forward(fake).Mean().Sub(g.critic.Forward(real).Mean()).
		Add(penalty(g.critic, real, fake).MulScalar(lambda))
	g.optC.ZeroGrad()
	loss.Backward()
	g.optC.Step()
	return loss.Item()
}

func (g *gan) generator1() float64 {
	loss := g.critic.Forward(g.generator.Forward(torch.Randn(torch.Shape{points, noise}))).Mean().Neg()
	g.optG.ZeroGrad()
	loss.Backward()
	g.optG.Step()
	return loss.Item()
}

func main() {
	torch.ManualSeed(49)
	g := &gan{generator: mlp(noise, 2), critic: mlp(2, 1)}
	defer g.generator.Close()
	defer g.critic.Close()
	g.optG = optim.NewAdam(g.generator.Parameters(), optim.LR(1e-3), optim.Betas(0, 0.9))
	defer g.optG.Close()
	g.optC = optim.NewAdam(g.critic.Parameters(), optim.LR(1e-3), optim.Betas(0, 0.9))
	defer g.optC.Close()
	var lossC, lossG float64
	for step := range 60 {
		for range torch.ScopedRange(3) {
			lossC = g.critic1()
		}
		torch.Scope(func() { lossG = g.generator1() })
		if step%20 == 19 {
			fmt.Printf("step %d: critic %.4f, generator %.4f\n", step+1, lossC, lossG)
		}
	}
}
