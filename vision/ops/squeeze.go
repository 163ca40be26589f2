package ops

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
)

// SqueezeExcitation multiplies each channel of an image by a factor. The factors are
// computed from the means of all channels. Follows torchvision.ops.SqueezeExcitation.
type SqueezeExcitation struct {
	nn.Base
	AvgPool         nn.Layer
	FC1, FC2        nn.Layer // convolutions of 1x1
	Activation      nn.Layer
	ScaleActivation nn.Layer
}

// NewSqueezeExcitation returns a SqueezeExcitation for images with inputChannels channels.
// Its inner layer has squeezeChannels channels. It panics with ErrValue for negative
// numbers, and with ErrNil for a nil option.
func NewSqueezeExcitation(inputChannels, squeezeChannels int64, opts ...SqueezeExcitationOption) *SqueezeExcitation {
	const op = "ops.NewSqueezeExcitation"
	var activation Activation
	var scale ScaleActivation
	for _, o := range opts {
		switch o := o.(type) {
		case Activation:
			activation = o
		case ScaleActivation:
			scale = o
		default:
			panic(torch.BadOption(op, o))
		}
	}
	if activation == nil {
		activation = func() nn.Layer { return nn.NewReLU() }
	}
	if scale == nil {
		scale = func() nn.Layer { return nn.NewSigmoid() }
	}
	l := new(SqueezeExcitation)
	l.Init(l)
	l.AvgPool = nn.NewAdaptiveAvgPool2d(1, l.As("avgpool"))
	l.FC1 = nn.NewConv2d(inputChannels, squeezeChannels, 1, l.As("fc1"))
	l.FC2 = nn.NewConv2d(squeezeChannels, inputChannels, 1, l.As("fc2"))
	l.Activation = activation()
	l.Register("activation", l.Activation)
	l.ScaleActivation = scale()
	l.Register("scale_activation", l.ScaleActivation)
	return l
}

// In registers l as a submodule of parent under name, and returns l. It panics like
// nn.Base.Register.
func (l *SqueezeExcitation) In(parent nn.Module, name string) *SqueezeExcitation {
	parent.ModuleBase().Register(name, l)
	return l
}

// Forward takes x of shape (N, inputChannels, H, W) and returns a new tensor: x with each
// channel multiplied by its factor. It panics like the layers.
func (l *SqueezeExcitation) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		scale := chain.Run(x, l.AvgPool, l.FC1, l.Activation, l.FC2, l.ScaleActivation)
		return scale.Mul(x)
	})
}
