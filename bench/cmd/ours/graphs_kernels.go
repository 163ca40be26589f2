package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["graph.maxpool"] = func(a args) result {
		x := torch.Randn(torch.Shape{8, 16, 28, 28})
		defer x.Close()
		return replayed(a, func() *torch.Tensor { return F.MaxPool2d(x, 2) })
	}
	cases["graph.stack"] = func(a args) result {
		x := torch.Randn(torch.Shape{8, 16, 28, 28})
		defer x.Close()
		return replayed(a, func() *torch.Tensor { return torch.Stack([]*torch.Tensor{x, x, x}) })
	}
	cases["graph.pooled.infer"] = pooledInference
	cases["graph.pooled.train"] = pooledTraining
}

// replayed times replays of the captured fn or, with the "eager" argument, calls of fn.
func replayed(a args, fn func() *torch.Tensor) result {
	step := func() []*torch.Tensor { return []*torch.Tensor{fn()} }
	if a.get("eager", 0) != 0 {
		return result{nanos: timed(a.iterations, func() { torch.Scope(func() { step() }) })}
	}
	g := torch.Capture(step)
	defer func() { check(g.Close()) }()
	return result{nanos: timed(a.iterations, func() { g.Replay() })}
}

// pooledCNN returns a CNN with two convolutions and pooling, as in beginners' tutorials.
func pooledCNN() *nn.Sequential {
	return nn.NewSequential(
		nn.NewConv2d(1, 16, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewConv2d(16, 32, 3, nn.Padding(1)), nn.NewReLU(), nn.NewMaxPool2d(2),
		nn.NewFlatten(), nn.NewLinear(32*7*7, 10),
	)
}

// byShape times calls of step, through torch.CaptureByShape or, with the "eager"
// argument, directly.
func byShape(a args, step func(inputs []*torch.Tensor) []*torch.Tensor, inputs ...*torch.Tensor) result {
	call := step
	if a.get("eager", 0) == 0 {
		g := torch.CaptureByShape(step)
		defer func() { check(g.Close()) }()
		call = func(inputs []*torch.Tensor) []*torch.Tensor { return g.Call(inputs...) }
	}
	for range 3 {
		torch.Scope(func() { call(inputs) })
	}
	return result{nanos: timed(a.iterations, func() { torch.Scope(func() { call(inputs) }) })}
}

// pooledInference times pooledCNN's forward pass of a batch of n images.
func pooledInference(a args) result {
	net := pooledCNN()
	defer net.Close()
	net.Eval()
	x := torch.Randn(torch.Shape{a.get("n", 1), 1, 28, 28})
	defer x.Close()
	var r result
	torch.NoGrad(func() {
		r = byShape(a, func(in []*torch.Tensor) []*torch.Tensor { return []*torch.Tensor{net.Forward(in[0])} }, x)
	})
	return r
}

// pooledTraining times a training step of pooledCNN on a batch of 32 images.
func pooledTraining(a args) result {
	net := pooledCNN()
	defer net.Close()
	opt := optim.NewAdamW(net.Parameters())
	defer opt.Close()
	x, y := torch.Randn(torch.Shape{32, 1, 28, 28}), torch.RandInt(0, 10, torch.Shape{32})
	defer x.Close()
	defer y.Close()
	return byShape(a, func(in []*torch.Tensor) []*torch.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(net.Forward(in[0]), in[1])
		loss.Backward()
		opt.Step()
		return []*torch.Tensor{loss}
	}, x, y)
}
