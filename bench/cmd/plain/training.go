package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/data"
)

// train returns the mean nanoseconds of n training steps with AdamW. shape is the shape
// of a batch; each example is in one of ten classes. Each step runs in a scope, as it
// does in a loop over a loader. There is no loader, because Python's loader takes longer
// than a small step.
func train(n int, shape torch.Shape, parameters []*torch.Tensor, forward func(x *torch.Tensor) *torch.Tensor) int64 {
	x, target := torch.Randn(shape), torch.RandInt(0, 10, shape[:1])
	opt := optim.NewAdamW(parameters, optim.LR(1e-3))
	return each(n, func() {
		torch.Scope(func() {
			loss := F.CrossEntropy(forward(x), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			_ = loss.Item()
		})
	})
}

func mlp() int64 {
	model := nn.NewSequential(nn.NewLinear(32, 64), nn.NewReLU(), nn.NewLinear(64, 64), nn.NewReLU(),
		nn.NewLinear(64, 10))
	return train(3000, torch.Shape{16, 32}, model.Parameters(), model.Forward)
}

func mlp256() int64 {
	model := nn.NewSequential(nn.NewLinear(256, 512), nn.NewReLU(), nn.NewLinear(512, 512), nn.NewReLU(),
		nn.NewLinear(512, 10))
	return train(600, torch.Shape{64, 256}, model.Parameters(), model.Forward)
}

func cnn() int64 {
	model := nn.NewSequential(
		nn.NewConv2d(1, 16, 3), nn.NewReLU(), nn.NewConv2d(16, 32, 3), nn.NewReLU(),
		nn.NewFlatten(), nn.NewLinear(32*24*24, 10))
	return train(200, torch.Shape{16, 1, 28, 28}, model.Parameters(), model.Forward)
}

func lstm() int64 {
	lstm, head := nn.NewLSTM(16, 32, nn.BatchFirst(true)), nn.NewLinear(32, 10)
	return train(1500, torch.Shape{8, 8, 16}, append(lstm.Parameters(), head.Parameters()...),
		func(x *torch.Tensor) *torch.Tensor {
			out, _, _ := lstm.Forward(x, nil, nil)
			return head.Forward(out.Select(1, -1))
		})
}

// readme returns the nanoseconds of one epoch of the program in README.md.
func readme() int64 {
	torch.ManualSeed(0)
	x := torch.Randn(torch.Shape{1024, 20})
	y := x.Sum(torch.Dim(1)).GtScalar(0).To(torch.Int64)
	set := data.NewTensorDataset(x, y)
	loader := data.NewLoader(set, data.BatchSize(64), data.Shuffle(true))

	model := nn.NewSequential(nn.NewLinear(20, 64), nn.NewReLU(), nn.NewLinear(64, 2))
	opt := optim.NewAdamW(model.Parameters(), optim.LR(1e-2))
	return each(50, func() {
		for batch := range loader.All() {
			loss := F.CrossEntropy(model.Forward(batch.Input), batch.Target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
			_ = loss.Item()
		}
	})
}
