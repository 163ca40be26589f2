package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
)

// AlexNet is a network of five convolutions. Follows torchvision.models.AlexNet.
type AlexNet struct {
	nn.Base
	Features   *nn.Sequential
	AvgPool    nn.Layer
	Classifier *nn.Sequential
}

// NewAlexNet returns an AlexNet with a default [WithDropout] of 0.5. Follows
// torchvision.models.alexnet.
func NewAlexNet(opts ...AlexNetOption) *AlexNet {
	c := read("models.NewAlexNet", config{dropout: 0.5}, opts)
	m := new(AlexNet)
	m.Init(m)
	relu := func() nn.Layer { return nn.NewReLU(nn.Inplace(true)) }
	m.Features = nn.NewSequential(
		nn.NewConv2d(3, 64, 11, nn.Stride(4), nn.Padding(2)), relu(),
		nn.NewMaxPool2d(3, nn.Stride(2)),
		nn.NewConv2d(64, 192, 5, nn.Padding(2)), relu(),
		nn.NewMaxPool2d(3, nn.Stride(2)),
		nn.NewConv2d(192, 384, 3, nn.Padding(1)), relu(),
		nn.NewConv2d(384, 256, 3, nn.Padding(1)), relu(),
		nn.NewConv2d(256, 256, 3, nn.Padding(1)), relu(),
		nn.NewMaxPool2d(3, nn.Stride(2)),
	).In(m, "features")
	m.AvgPool = nn.NewAdaptiveAvgPool2d([]int64{6, 6}, m.As("avgpool"))
	m.Classifier = nn.NewSequential(
		nn.NewDropout(c.dropout), nn.NewLinear(256*6*6, 4096), relu(),
		nn.NewDropout(c.dropout), nn.NewLinear(4096, 4096), relu(),
		nn.NewLinear(4096, c.numClasses),
	).In(m, "classifier")
	return m
}

// Forward takes normalized images of shape (N, 3, H, W), with at least 63 x 63 pixels,
// and returns logits of shape (N, NumClasses).
func (m *AlexNet) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return m.Classifier.Forward(chain.Flat(chain.Run(x, m.Features, m.AvgPool)))
	})
}
