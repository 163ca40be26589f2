// Command penalty_backward trains a critic whose slope at its inputs should be 1, as in
// Wasserstein GANs. It computes the slope with Backward and CreateGraph.
//
// Leaky: Backward stores a gradient with a graph in the leaf x. The leaf holds its
// gradient, and the gradient's graph holds the leaf. This cycle is in native memory, so
// closing x at the end of the scope does not free it. Each step leaves one batch, its
// gradient and a graph.
package main

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

const (
	steps  = 200
	points = 16
	lambda = 10
)

func newCritic() *nn.Sequential {
	return nn.NewSequential(nn.NewLinear(2, 32), nn.NewTanh(), nn.NewLinear(32, 1))
}

// penalty returns how much the slope of the critic at x differs from 1.
func penalty(critic *nn.Sequential, x *torch.Tensor) *torch.Tensor {
	x.RequiresGrad_()
	critic.Forward(x).Sum().Backward(torch.CreateGraph(true)) // want leak
	slope := x.Grad().Square().Sum(torch.Dim(1)).AddScalar(1e-12).Sqrt()
	return slope.SubScalar(1).Square().Mean()
}

// real samples points on a circle, and fake samples points near the center.
func real(n int64) *torch.Tensor {
	angle := torch.Rand(torch.Shape{n}).MulScalar(6.2832)
	return torch.Stack([]*torch.Tensor{angle.Cos(), angle.Sin()}, 1)
}

func fake(n int64) *torch.Tensor { return torch.Randn(torch.Shape{n, 2}).MulScalar(0.3) }

func main() {
	torch.ManualSeed(8)
	critic := newCritic()
	defer critic.Close()
	opt := optim.NewAdam(critic.Parameters(), optim.LR(1e-3), optim.Betas(0.5, 0.9))
	defer opt.Close()
	last := 0.0
	for range torch.ScopedRange(steps) {
		a, b := real(points), fake(points)
		mix := torch.Rand(torch.Shape{points, 1})
		between := a.Mul(mix).Add(b.Mul(mix.RSubScalar(1)))

		gp := penalty(critic, between)
		opt.ZeroGrad() // the critic's gradients of the slope are not wanted
		loss := critic.Forward(b).Mean().Sub(critic.Forward(a).Mean()).Add(gp.MulScalar(lambda))
		loss.Backward()
		opt.Step()
		last = loss.Item()
	}
	opt.ZeroGrad()
	fmt.Printf("after %d steps the critic's loss is %.4f\n", steps, last)
}
