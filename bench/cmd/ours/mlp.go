package main

import (
	"errors"

	F "github.com/gotorch/gotorch/nn/functional"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["mlp.step"] = func(a args) result { return mlpStep(a) }
	cases["mlp.step.fused"] = func(a args) result { return mlpStep(a, optim.Fused(true)) }
	cases["mlp.forward"] = mlpForward
	cases["mlp.graph.forward"] = mlpGraphForward
	cases["mlp.concurrent"] = mlpConcurrent
}

func network() *nn.Sequential {
	return nn.NewSequential(
		nn.NewLinear(32, 64), nn.NewReLU(),
		nn.NewLinear(64, 64), nn.NewReLU(),
		nn.NewLinear(64, 10),
	)
}

// batch returns 16 random inputs and their classes.
func batch() (x, target *torch.Tensor) {
	return torch.Randn(torch.Shape{16, 32}), torch.RandInt(0, 10, torch.Shape{16})
}

// mlpStep times a training step in the usual style: a scope, the forward pass, the loss,
// the gradients and AdamW.
func mlpStep(a args, opts ...optim.AdamWOption) result {
	net := network()
	defer net.Close()
	opt := optim.NewAdamW(net.Parameters(), append(opts, optim.LR(1e-3))...)
	defer opt.Close()
	x, target := batch()
	defer x.Close()
	defer target.Close()
	return result{nanos: timed(a.iterations, func() {
		torch.Scope(func() {
			loss := F.CrossEntropy(net.Forward(x), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	})}
}

func mlpForward(a args) result {
	net := network()
	defer net.Close()
	x, target := batch()
	defer x.Close()
	defer target.Close()
	var nanos int64
	torch.NoGrad(func() {
		nanos = timed(a.iterations, func() { torch.Scope(func() { net.Forward(x) }) })
	})
	return result{nanos: nanos}
}

// mlpConcurrent times forward passes of one network, divided among several goroutines.
func mlpConcurrent(a args) result {
	net := network()
	defer net.Close()
	x, target := batch()
	defer x.Close()
	defer target.Close()
	pass := func() {
		torch.NoGrad(func() { torch.Scope(func() { net.Forward(x) }) })
	}
	workers := int(a.get("workers", 8))
	share(workers, a.iterations/20, pass)
	return result{nanos: share(workers, a.iterations, pass)}
}

// mlpGraphForward times replays of the forward pass, which is captured once.
func mlpGraphForward(a args) result {
	net := network()
	defer net.Close()
	x, target := batch()
	defer x.Close()
	defer target.Close()
	var nanos int64
	torch.NoGrad(func() {
		g := torch.Capture(func() []*torch.Tensor { return []*torch.Tensor{net.Forward(x)} }, torch.Inputs{x})
		defer g.Close()
		torch.Scope(func() {
			if !g.Replay()[0].Equal(net.Forward(x)) {
				check(errors.New("the replayed forward pass differs from the forward pass without a graph"))
			}
		})
		nanos = timed(a.iterations, func() { g.Replay() })
	})
	return result{nanos: nanos}
}
