package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() { cases["conv.step"] = convStep }

// basicBlock is the first block of a ResNet-18.
type basicBlock struct {
	nn.Base
	body *nn.Sequential
}

func newBasicBlock() *basicBlock {
	b := new(basicBlock)
	b.Init(b)
	b.body = nn.NewSequential(
		nn.NewConv2d(64, 64, 3, nn.Padding(1), nn.Bias(false)), nn.NewBatchNorm2d(64), nn.NewReLU(),
		nn.NewConv2d(64, 64, 3, nn.Padding(1), nn.Bias(false)), nn.NewBatchNorm2d(64),
	).In(b, "body")
	return b
}

func (b *basicBlock) Forward(x *torch.Tensor) *torch.Tensor {
	return b.Call(x, func(x *torch.Tensor) *torch.Tensor { return F.ReLU(b.body.Forward(x).Add(x)) })
}

// convStep times a training step of the input layers and first block of a ResNet-18, with
// a classifier.
func convStep(a args) result {
	net := nn.NewSequential(
		nn.NewConv2d(3, 64, 7, nn.Stride(2), nn.Padding(3), nn.Bias(false)), nn.NewBatchNorm2d(64), nn.NewReLU(),
		nn.NewMaxPool2d(3, nn.Stride(2), nn.Padding(1)),
		newBasicBlock(), nn.NewAdaptiveAvgPool2d(1), nn.NewFlatten(), nn.NewLinear(64, 10),
	)
	defer net.Close()
	opt := optim.NewSGD(net.Parameters(), optim.LR(0.01), optim.Momentum(0.9))
	defer opt.Close()
	x, target := torch.Randn(torch.Shape{8, 3, 64, 64}), torch.RandInt(0, 10, torch.Shape{8})
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
