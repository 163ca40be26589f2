package soak

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// capturedSteps trains the same network with and without graphs. It uses more batch sizes
// than the step keeps graphs for. Half of the time the collector frees the graphs.
func capturedSteps(w *Worker) error {
	made := func() (*nn.Sequential, optim.Optimizer) {
		m := nn.NewSequential(nn.NewLinear(8, 16), nn.NewReLU(), nn.NewLinear(16, 4))
		return m, optim.NewAdamW(m.Parameters(), optim.Fused(true))
	}
	eager, eagerOpt := made()
	defer eager.Close()
	defer eagerOpt.Close()
	model, opt := made()
	defer model.Close()
	defer opt.Close()
	if err := model.LoadStateDict(eager.StateDict()); err != nil {
		return err
	}
	step := optim.GraphedStep(func(b []*torch.Tensor) *torch.Tensor {
		return F.CrossEntropy(model.Forward(b[0]), b[1])
	}, opt,
		optim.GraphOptions{torch.MaxGraphs(2)})
	if w.Rand.IntN(2) == 0 {
		defer step.Close()
	}
	for i := range 30 {
		n := int64(2 + i/5%3)
		var want, got float64
		torch.Scope(func() {
			x, y := torch.Randn(torch.Shape{n, 8}), torch.RandInt(0, 4, torch.Shape{n})
			eagerOpt.ZeroGrad()
			loss := F.CrossEntropy(eager.Forward(x), y)
			loss.Backward()
			eagerOpt.Step()
			want, got = loss.Item(), step.Call(x, y).Item()
		})
		if want != got {
			return fmt.Errorf("the loss of step %d is %v with a graph, %v without", i, got, want)
		}
	}
	g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{torch.Randn(torch.Shape{64}).Exp().Sum()} })
	for range 20 {
		g.Replay()
	}
	if w.Rand.IntN(2) == 0 {
		return g.Close()
	}
	return nil
}
