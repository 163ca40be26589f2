package models

import (
	"math"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/internal/old"
	"github.com/gotorch/gotorch/vision/ops"
)

// EfficientNet is a network of blocks with more channels inside than at their ends. Its
// variants differ in depth, width and image size, which are scaled together.
// EfficientNetV2 has this type too. Follows torchvision.models.EfficientNet.
type EfficientNet struct {
	nn.Base
	Features   *nn.Sequential
	AvgPool    nn.Layer
	Classifier *nn.Sequential
}

// stage contains the settings of one stage, which consists of several blocks.
type stage struct {
	fused                  bool
	expand, kernel, stride int64
	in, out                int64
	blocks                 int
}

// newEfficientNet returns an EfficientNet with the given stages. last is the number of
// channels before the classifier.
func newEfficientNet(op string, stages []stage, last int64, own config, opts []EfficientNetOption) *EfficientNet {
	own.stochasticDepth = 0.2
	c := read(op, own, opts)
	m := new(EfficientNet)
	m.Init(m)
	m.Features = nn.NewSequential(c.conv(3, stages[0].in, silu, ops.Stride(2))).In(m, "features")
	all, done := 0, 0
	for _, s := range stages {
		all += s.blocks
	}
	for _, s := range stages {
		layers := nn.NewSequential()
		for range s.blocks {
			layers.Append(newMBConv(c, s, c.stochasticDepth*float64(done)/float64(all)))
			s.in, s.stride = s.out, 1
			done++
		}
		m.Features.Append(layers)
	}
	m.Features.Append(c.conv(stages[len(stages)-1].out, last, silu, ops.KernelSize(1)))
	m.AvgPool = nn.NewAdaptiveAvgPool2d(1, m.As("avgpool"))
	m.Classifier = nn.NewSequential(
		nn.NewDropout(c.dropout, nn.Inplace(true)), nn.NewLinear(last, c.numClasses),
	).In(m, "classifier")
	initialize(m, kaimingOut, func(l *nn.Linear) {
		if l.OutFeatures > 0 {
			bound := 1 / math.Sqrt(float64(l.OutFeatures))
			nninit.Uniform_(l.Weight, -bound, bound)
		}
		zero(l.Bias)
	})
	old.Countless(m)
	return m
}

// Forward takes normalized images of shape (N, 3, H, W), and returns logits of shape (N,
// NumClasses).
func (m *EfficientNet) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return m.Classifier.Forward(chain.Flat(chain.Run(x, m.Features, m.AvgPool)))
	})
}

// MBConv is a block of an [EfficientNet] with a wide depthwise convolution. In an
// EfficientNetV2, some blocks have one convolution in place of the expansion and the
// depthwise convolution. Follows torchvision.models.efficientnet.MBConv and FusedMBConv.
type MBConv struct {
	nn.Base
	Block           *nn.Sequential
	StochasticDepth nn.Layer
	UseResConnect   bool // whether the input is added to the result
}

func newMBConv(c *config, s stage, p float64) *MBConv {
	l := &MBConv{UseResConnect: s.stride == 1 && s.in == s.out}
	name := "MBConv"
	if s.fused {
		name = "FusedMBConv"
	}
	l.Init(l, nn.TypeName(name))
	l.Block = nn.NewSequential().In(l, "block")
	expanded := scaled(s.in, float64(s.expand), 8)
	if s.fused {
		l.fused(c, s, expanded)
	} else {
		l.separate(c, s, expanded)
	}
	l.StochasticDepth = ops.NewStochasticDepth(p, ops.ModeRow, l.As("stochastic_depth"))
	return l
}

func (l *MBConv) separate(c *config, s stage, expanded int64) {
	if expanded != s.in {
		l.Block.Append(c.conv(s.in, expanded, silu, ops.KernelSize(1)))
	}
	l.Block.Append(c.conv(expanded, expanded, silu, ops.KernelSize(s.kernel), ops.Stride(s.stride),
		ops.Groups(expanded)))
	l.Block.Append(ops.NewSqueezeExcitation(expanded, max(1, s.in/4), ops.Activation(func() nn.Layer {
		return silu(true)
	})))
	l.Block.Append(c.conv(expanded, s.out, nil, ops.KernelSize(1)))
}

func (l *MBConv) fused(c *config, s stage, expanded int64) {
	if expanded == s.in {
		l.Block.Append(c.conv(s.in, s.out, silu, ops.KernelSize(s.kernel), ops.Stride(s.stride)))
		return
	}
	l.Block.Append(c.conv(s.in, expanded, silu, ops.KernelSize(s.kernel), ops.Stride(s.stride)))
	l.Block.Append(c.conv(expanded, s.out, nil, ops.KernelSize(1)))
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *MBConv) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := l.Block.Forward(x)
		if l.UseResConnect {
			y = chain.Run(y, l.StochasticDepth)
			y.Add_(x)
		}
		return y
	})
}
