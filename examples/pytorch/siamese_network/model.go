package main

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/models"
)

// siamese decides whether pairs of images show the same digit.
type siamese struct {
	nn.Base
	resnet, fc *nn.Sequential
}

func newSiamese() *siamese {
	m := &siamese{}
	m.Init(m)
	r := models.NewResNet18()
	_, _ = r.Conv1.Close(), r.FC.Close()
	gray := nn.NewConv2d(1, 64, 7, nn.Stride(2), nn.Padding(3), nn.Bias(false))
	m.resnet = nn.NewSequential(gray, r.BN1, r.ReLU, r.MaxPool, r.Layer1, r.Layer2, r.Layer3, r.Layer4, r.AvgPool).In(m,
		"resnet")
	m.fc = nn.NewSequential(nn.NewLinear(2*512, 256), nn.NewReLU(nn.Inplace(true)), nn.NewLinear(256, 1)).In(m, "fc")
	for _, l := range nn.Modules(m.fc) {
		if l, ok := l.(*nn.Linear); ok {
			nninit.XavierUniform_(l.Weight)
			nninit.Constant_(l.Bias, 0.01)
		}
	}
	return m
}

// Forward returns the probabilities (N) that images a and b, (N, 1, H, W), show the same
// digit.
func (m *siamese) Forward(a, b *torch.Tensor) *torch.Tensor {
	return m.Call2(a, b, func(a, b *torch.Tensor) *torch.Tensor {
		seen := []*torch.Tensor{m.resnet.Forward(a).Flatten(1), m.resnet.Forward(b).Flatten(1)}
		return m.fc.Forward(torch.Cat(seen, 1)).Squeeze(1).Sigmoid()
	})
}
