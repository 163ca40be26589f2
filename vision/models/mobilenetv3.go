package models

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/ops"
)

// MobileNetV3 is a network of inverted residual blocks, some of which weight their channels
// (squeeze and excitation). Follows torchvision.models.MobileNetV3.
type MobileNetV3 struct {
	nn.Base
	Features   *nn.Sequential
	AvgPool    nn.Layer
	Classifier *nn.Sequential
}

// residualV3 contains the settings of a block, such as its numbers of input, inner and
// output channels.
type residualV3 struct {
	in, kernel, expanded, out int64
	squeeze, hardswish        bool
	stride, dilation          int64
}

// NewMobileNetV3Large returns a large MobileNetV3 with a default [WithDropout] of 0.2. Follows
// torchvision.models.mobilenet_v3_large.
func NewMobileNetV3Large(opts ...MobileNetV3Option) *MobileNetV3 {
	return newMobileNetV3("models.NewMobileNetV3Large", 1280, func(tail, dilation int64) []residualV3 {
		return []residualV3{
			{16, 3, 16, 16, false, false, 1, 1},
			{16, 3, 64, 24, false, false, 2, 1},
			{24, 3, 72, 24, false, false, 1, 1},
			{24, 5, 72, 40, true, false, 2, 1},
			{40, 5, 120, 40, true, false, 1, 1},
			{40, 5, 120, 40, true, false, 1, 1},
			{40, 3, 240, 80, false, true, 2, 1},
			{80, 3, 200, 80, false, true, 1, 1},
			{80, 3, 184, 80, false, true, 1, 1},
			{80, 3, 184, 80, false, true, 1, 1},
			{80, 3, 480, 112, true, true, 1, 1},
			{112, 3, 672, 112, true, true, 1, 1},
			{112, 5, 672, 160 / tail, true, true, 2, dilation},
			{160 / tail, 5, 960 / tail, 160 / tail, true, true, 1, dilation},
			{160 / tail, 5, 960 / tail, 160 / tail, true, true, 1, dilation},
		}
	}, opts)
}

// NewMobileNetV3Small returns a small MobileNetV3 with a default [WithDropout] of 0.2. Follows
// torchvision.models.mobilenet_v3_small.
func NewMobileNetV3Small(opts ...MobileNetV3Option) *MobileNetV3 {
	return newMobileNetV3("models.NewMobileNetV3Small", 1024, func(tail, dilation int64) []residualV3 {
		return []residualV3{
			{16, 3, 16, 16, true, false, 2, 1},
			{16, 3, 72, 24, false, false, 2, 1},
			{24, 3, 88, 24, false, false, 1, 1},
			{24, 5, 96, 40, true, true, 2, 1},
			{40, 5, 240, 40, true, true, 1, 1},
			{40, 5, 240, 40, true, true, 1, 1},
			{40, 5, 120, 48, true, true, 1, 1},
			{48, 5, 144, 48, true, true, 1, 1},
			{48, 5, 288, 96 / tail, true, true, 2, dilation},
			{96 / tail, 5, 576 / tail, 96 / tail, true, true, 1, dilation},
			{96 / tail, 5, 576 / tail, 96 / tail, true, true, 1, dilation},
		}
	}, opts)
}

func newMobileNetV3(op string, last int64, blocks func(tail, dilation int64) []residualV3,
	opts []MobileNetV3Option,
) *MobileNetV3 {
	c := read(op, config{norm: batchNormWith(nn.Eps(0.001), nn.Momentum(0.01)), dropout: 0.2}, opts)
	tail, dilation := int64(1), int64(1)
	if c.reducedTail {
		tail = 2
	}
	if c.dilated {
		dilation = 2
	}
	residuals := blocks(tail, dilation)
	for i := range residuals {
		for _, channels := range []*int64{&residuals[i].in, &residuals[i].expanded, &residuals[i].out} {
			*channels = scaled(*channels, c.widthMult, 8)
		}
	}
	last = scaled(last/tail, c.widthMult, 8)
	m := new(MobileNetV3)
	m.Init(m)
	m.Features = nn.NewSequential(c.conv(3, residuals[0].in, hardswish, ops.Stride(2))).In(m, "features")
	for _, r := range residuals {
		m.Features.Append(newInvertedResidualV3(c, r))
	}
	before := residuals[len(residuals)-1].out
	m.Features.Append(c.conv(before, 6*before, hardswish, ops.KernelSize(1)))
	m.AvgPool = nn.NewAdaptiveAvgPool2d(1, m.As("avgpool"))
	m.Classifier = nn.NewSequential(
		nn.NewLinear(6*before, last), hardswish(true),
		nn.NewDropout(c.dropout, nn.Inplace(true)), nn.NewLinear(last, c.numClasses),
	).In(m, "classifier")
	initialize(m, kaimingOut, narrow)
	old.Countless(m)
	return m
}

// Forward takes normalized images of shape (N, 3, H, W), and returns logits of shape (N,
// NumClasses).
func (m *MobileNetV3) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return m.Classifier.Forward(chain.Flat(chain.Run(x, m.Features, m.AvgPool)))
	})
}

// InvertedResidualV3 is a block of a [MobileNetV3].
// Follows torchvision.models.mobilenetv3.InvertedResidual.
type InvertedResidualV3 struct {
	nn.Base
	Block         *nn.Sequential
	UseResConnect bool // whether the input is added to the result
}

func newInvertedResidualV3(c *config, r residualV3) *InvertedResidualV3 {
	l := &InvertedResidualV3{UseResConnect: r.stride == 1 && r.in == r.out}
	l.Init(l, nn.TypeName("InvertedResidual"))
	l.Block = nn.NewSequential().In(l, "block")
	activation := relu
	if r.hardswish {
		activation = hardswish
	}
	if r.expanded != r.in {
		l.Block.Append(c.conv(r.in, r.expanded, activation, ops.KernelSize(1)))
	}
	stride := r.stride
	if r.dilation > 1 {
		stride = 1
	}
	l.Block.Append(c.conv(r.expanded, r.expanded, activation, ops.KernelSize(r.kernel),
		ops.Stride(stride), ops.Dilation(r.dilation), ops.Groups(r.expanded)))
	if r.squeeze {
		l.Block.Append(ops.NewSqueezeExcitation(r.expanded, divisible(float64(r.expanded/4), 8),
			ops.ScaleActivation(func() nn.Layer { return nn.NewHardsigmoid() })))
	}
	l.Block.Append(c.conv(r.expanded, r.out, nil, ops.KernelSize(1)))
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *InvertedResidualV3) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := l.Block.Forward(x)
		if l.UseResConnect {
			y.Add_(x)
		}
		return y
	})
}
