package models

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/ops"
)

// MobileNetV2 is a network of inverted residual blocks for mobile devices. Follows
// torchvision.models.MobileNetV2.
type MobileNetV2 struct {
	nn.Base
	Features, Classifier *nn.Sequential
}

// NewMobileNetV2 returns a MobileNetV2 with a default [WithDropout] of 0.2. It panics
// with ErrValue for stages without blocks or with a stride other than 1 or 2. Follows
// torchvision.models.mobilenet_v2.
func NewMobileNetV2(opts ...MobileNetV2Option) *MobileNetV2 {
	const op = "models.NewMobileNetV2"
	c := read(op, config{norm: batchNorm, dropout: 0.2}, opts)
	if c.residuals == nil {
		c.residuals = [][4]int64{
			{1, 16, 1, 1},
			{6, 24, 2, 2},
			{6, 32, 3, 2},
			{6, 64, 4, 2},
			{6, 96, 3, 1},
			{6, 160, 3, 2},
			{6, 320, 1, 1},
		}
	}
	c.checkResiduals()
	m := new(MobileNetV2)
	m.Init(m)
	in := scaled(32, c.widthMult, c.roundNearest)
	last := scaled(1280, max(1, c.widthMult), c.roundNearest)
	m.Features = nn.NewSequential(c.conv(3, in, relu6, ops.Stride(2))).In(m, "features")
	for _, s := range c.residuals {
		expand, out, stride := s[0], scaled(s[1], c.widthMult, c.roundNearest), s[3]
		for range s[2] {
			m.Features.Append(newInvertedResidual(c, in, out, stride, expand))
			in, stride = out, 1
		}
	}
	m.Features.Append(c.conv(in, last, relu6, ops.KernelSize(1)))
	m.Classifier = nn.NewSequential(nn.NewDropout(c.dropout), nn.NewLinear(last, c.numClasses)).In(m, "classifier")
	initialize(m, kaimingOut, narrow)
	old.Countless(m)
	return m
}

// checkResiduals panics with ErrValue for invalid stages.
func (c *config) checkResiduals() {
	if len(c.residuals) == 0 {
		panic(torch.NewError(c.op, torch.ErrValue, "InvertedResidualSetting", "expected at least one stage"))
	}
	for _, s := range c.residuals {
		if s[0] < 1 || s[1] < 1 || s[2] < 0 || s[3] < 1 || s[3] > 2 || max(s[0], s[1], s[2]) > largest {
			panic(torch.NewError(c.op, torch.ErrValue, "InvertedResidualSetting",
				fmt.Sprintf("expected a factor, channels, a number of blocks and a stride of 1 or 2, got %v", s)))
		}
	}
}

// Forward takes normalized images of shape (N, 3, H, W), and returns logits of shape (N,
// NumClasses).
func (m *MobileNetV2) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		x = m.Features.Forward(x)
		x = own.Instead(x, F.AdaptiveAvgPool2d(x, []int64{1, 1}))
		return m.Classifier.Forward(chain.Flat(x))
	})
}

// InvertedResidual is a block of a [MobileNetV2].
// Follows torchvision.models.mobilenetv2.InvertedResidual.
type InvertedResidual struct {
	nn.Base
	Conv          *nn.Sequential
	UseResConnect bool // whether the input is added to the result
}

func newInvertedResidual(c *config, in, out, stride, expand int64) *InvertedResidual {
	l := &InvertedResidual{UseResConnect: stride == 1 && in == out}
	l.Init(l)
	l.Conv = nn.NewSequential().In(l, "conv")
	hidden := in * expand
	if expand != 1 {
		l.Conv.Append(c.conv(in, hidden, relu6, ops.KernelSize(1)))
	}
	l.Conv.Append(c.conv(hidden, hidden, relu6, ops.Stride(stride), ops.Groups(hidden)))
	l.Conv.Append(nn.NewConv2d(hidden, out, 1, nn.Bias(false)))
	l.Conv.Append(c.norm(out))
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *InvertedResidual) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := l.Conv.Forward(x)
		if !l.UseResConnect {
			return y
		}
		return x.Add(y)
	})
}

// conv returns a convolution followed by the model's normalization and an activation.
// activation may be nil.
func (c *config) conv(in, out int64, activation func(inplace bool) nn.Layer,
	opts ...ops.Conv2dNormActivationOption,
) nn.Layer {
	return ops.NewConv2dNormActivation(in, out, append(opts, ops.NormLayer(c.norm), ops.ActivationLayer(activation))...)
}

func relu(inplace bool) nn.Layer      { return nn.NewReLU(nn.Inplace(inplace)) }
func relu6(inplace bool) nn.Layer     { return nn.NewReLU6(nn.Inplace(inplace)) }
func silu(inplace bool) nn.Layer      { return nn.NewSiLU(nn.Inplace(inplace)) }
func hardswish(inplace bool) nn.Layer { return nn.NewHardswish(nn.Inplace(inplace)) }
