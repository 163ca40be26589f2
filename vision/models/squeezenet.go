package models

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
)

// SqueezeNet is a small network of [Fire] modules.
// Follows torchvision.models.SqueezeNet.
type SqueezeNet struct {
	nn.Base
	Features, Classifier *nn.Sequential
}

// Fire reduces the channels of its input. Then it expands them with two convolutions with
// kernels of different sizes, and concatenates the results. Follows
// torchvision.models.squeezenet.Fire.
type Fire struct {
	nn.Base
	Squeeze, SqueezeActivation     nn.Layer
	Expand1x1, Expand1x1Activation nn.Layer
	Expand3x3, Expand3x3Activation nn.Layer
}

// NewSqueezeNet1_0 returns a SqueezeNet with a default [WithDropout] of 0.5. Follows
// torchvision.models.squeezenet1_0.
func NewSqueezeNet1_0(opts ...SqueezeNetOption) *SqueezeNet {
	return newSqueezeNet("models.NewSqueezeNet1_0", func() []nn.Layer {
		return []nn.Layer{
			nn.NewConv2d(3, 96, 7, nn.Stride(2)), nn.NewReLU(nn.Inplace(true)), shrink(),
			newFire(96, 16, 64), newFire(128, 16, 64), newFire(128, 32, 128), shrink(),
			newFire(256, 32, 128), newFire(256, 48, 192), newFire(384, 48, 192), newFire(384, 64, 256), shrink(),
			newFire(512, 64, 256),
		}
	}, opts)
}

// NewSqueezeNet1_1 returns a SqueezeNet that needs less computation than NewSqueezeNet1_0.
// It has a default [WithDropout] of 0.5. Follows torchvision.models.squeezenet1_1.
func NewSqueezeNet1_1(opts ...SqueezeNetOption) *SqueezeNet {
	return newSqueezeNet("models.NewSqueezeNet1_1", func() []nn.Layer {
		return []nn.Layer{
			nn.NewConv2d(3, 64, 3, nn.Stride(2)), nn.NewReLU(nn.Inplace(true)), shrink(),
			newFire(64, 16, 64), newFire(128, 16, 64), shrink(),
			newFire(128, 32, 128), newFire(256, 32, 128), shrink(),
			newFire(256, 48, 192), newFire(384, 48, 192), newFire(384, 64, 256), newFire(512, 64, 256),
		}
	}, opts)
}

func newSqueezeNet(op string, features func() []nn.Layer, opts []SqueezeNetOption) *SqueezeNet {
	c := read(op, config{dropout: 0.5}, opts)
	m := new(SqueezeNet)
	m.Init(m)
	m.Features = nn.NewSequential(features()...).In(m, "features")
	last := nn.NewConv2d(512, c.numClasses, 1)
	m.Classifier = nn.NewSequential(
		nn.NewDropout(c.dropout), last, nn.NewReLU(nn.Inplace(true)), nn.NewAdaptiveAvgPool2d([]int64{1, 1}),
	).In(m, "classifier")
	initialize(m, func(w *torch.Tensor) {
		if w == last.Weight {
			nninit.Normal_(w, 0, 0.01)
		} else {
			nninit.KaimingUniform_(w)
		}
	}, nil)
	return m
}

// shrink returns a max pooling layer that halves height and width, rounded up.
func shrink() nn.Layer { return nn.NewMaxPool2d(3, nn.Stride(2), nn.CeilMode(true)) }

// newFire returns a Fire. in is the number of its input channels, squeeze the number to
// which it reduces them, and expand the number of output channels of each of its two
// other convolutions.
func newFire(in, squeeze, expand int64) *Fire {
	l := new(Fire)
	l.Init(l)
	l.Squeeze = nn.NewConv2d(in, squeeze, 1, l.As("squeeze"))
	l.SqueezeActivation = nn.NewReLU(nn.Inplace(true), l.As("squeeze_activation"))
	l.Expand1x1 = nn.NewConv2d(squeeze, expand, 1, l.As("expand1x1"))
	l.Expand1x1Activation = nn.NewReLU(nn.Inplace(true), l.As("expand1x1_activation"))
	l.Expand3x3 = nn.NewConv2d(squeeze, expand, 3, nn.Padding(1), l.As("expand3x3"))
	l.Expand3x3Activation = nn.NewReLU(nn.Inplace(true), l.As("expand3x3_activation"))
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *Fire) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = chain.Run(x, l.Squeeze, l.SqueezeActivation)
		one := l.Expand1x1.Forward(x)
		one = own.Instead(one, l.Expand1x1Activation.Forward(one))
		three := chain.Run(x, l.Expand3x3, l.Expand3x3Activation)
		return torch.Cat([]*torch.Tensor{one, three}, 1)
	})
}

// Forward takes normalized images of shape (N, 3, H, W), with at least 21 x 21 pixels,
// and returns logits of shape (N, NumClasses).
func (m *SqueezeNet) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return chain.Flat(chain.Run(x, m.Features, m.Classifier))
	})
}
