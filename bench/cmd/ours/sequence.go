package main

import (
	F "github.com/gotorch/gotorch/nn/functional"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

func init() {
	cases["lstm.step"] = lstmStep
	cases["transformer.step"] = transformerStep
}

// lstmStep times a training step of an LSTM that classifies sequences of 8 vectors by the
// LSTM's last output.
func lstmStep(a args) result {
	lstm, head := nn.NewLSTM(16, 32, nn.BatchFirst(true)), nn.NewLinear(32, 10)
	return sequenceStep(a, nn.NewModuleList(lstm, head), torch.Shape{8, 8, 16}, func(x *torch.Tensor) *torch.Tensor {
		out, _, _ := lstm.Forward(x, nil, nil)
		return head.Forward(out.Select(1, -1))
	})
}

// transformerStep times a training step of a model that contains a transformer encoder
// with two layers. The model classifies sequences of 16 vectors by the mean of the
// encoder's outputs.
func transformerStep(a args) result {
	layer := nn.NewTransformerEncoderLayer(32, 4, nn.DimFeedforward(64), nn.BatchFirst(true))
	encoder, head := nn.NewTransformerEncoder(layer, 2), nn.NewLinear(32, 10)
	defer layer.Close()
	return sequenceStep(a, nn.NewModuleList(encoder, head), torch.Shape{8, 16, 32},
		func(x *torch.Tensor) *torch.Tensor {
			return head.Forward(encoder.Forward(x).Mean(torch.Dim(1)))
		})
}

// sequenceStep times a training step of net on a batch of the given shape.
func sequenceStep(a args, net *nn.ModuleList, shape torch.Shape, forward func(x *torch.Tensor) *torch.Tensor) result {
	defer net.Close()
	opt := optim.NewAdamW(net.Parameters(), optim.LR(1e-3))
	defer opt.Close()
	x, target := torch.Randn(shape), torch.RandInt(0, 10, shape[:1])
	defer x.Close()
	defer target.Close()
	return result{nanos: timed(a.iterations, func() {
		torch.Scope(func() {
			loss := F.CrossEntropy(forward(x), target)
			opt.ZeroGrad()
			loss.Backward()
			opt.Step()
		})
	})}
}
