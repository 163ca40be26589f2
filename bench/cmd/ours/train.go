package main

import (
	"github.com/gotorch/gotorch/internal/native/pacer"
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["train.scope"] = func(a args) result { return train(a, torch.Scope) }
	cases["train.gc"] = func(a args) result { return train(a, func(step func()) { step() }) }
}

// train times a training loop of a small convolutional network on random images. wrap runs
// each step, for example in a scope. train also returns the peak memory.
func train(a args, wrap func(step func())) result {
	net := nn.NewSequential(
		nn.NewConv2d(1, 16, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(16, 32, 3), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(32*5*5, 10),
	)
	defer net.Close()
	opt := optim.NewAdamW(net.Parameters(), optim.LR(1e-3), optim.Fused(true))
	defer opt.Close()
	x, target := torch.Randn(torch.Shape{64, 1, 28, 28}), torch.RandInt(0, 10, torch.Shape{64})
	defer x.Close()
	defer target.Close()

	pacer.Collect()
	memory.ResetPeak(torch.CPU)
	nanos := timed(a.iterations, func() {
		wrap(func() {
			loss := F.CrossEntropy(net.Forward(x), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	})
	peak := memory.MaxRequested(torch.CPU)
	pacer.Collect()
	return result{nanos, map[string]int64{"peak": peak}}
}
