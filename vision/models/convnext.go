package models

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
	"github.com/gotorch/gotorch/vision/ops"
)

// ConvNeXt is a network of wide depthwise convolutions with layer normalizations.
// Follows torchvision.models.ConvNeXt.
type ConvNeXt struct {
	nn.Base
	Features   *nn.Sequential
	AvgPool    nn.Layer
	Classifier *nn.Sequential
}

// NewConvNeXtTiny returns a tiny ConvNeXt with a default [StochasticDepthProb] of 0.1. Follows
// torchvision.models.convnext_tiny.
func NewConvNeXtTiny(opts ...ConvNeXtOption) *ConvNeXt {
	return newConvNeXt("models.NewConvNeXtTiny", 96, [4]int{3, 3, 9, 3}, 0.1, opts)
}

// NewConvNeXtSmall returns a small ConvNeXt with a default [StochasticDepthProb] of 0.4. Follows
// torchvision.models.convnext_small.
func NewConvNeXtSmall(opts ...ConvNeXtOption) *ConvNeXt {
	return newConvNeXt("models.NewConvNeXtSmall", 96, [4]int{3, 3, 27, 3}, 0.4, opts)
}

// NewConvNeXtBase returns a ConvNeXt with a default [StochasticDepthProb] of 0.5. Follows
// torchvision.models.convnext_base.
func NewConvNeXtBase(opts ...ConvNeXtOption) *ConvNeXt {
	return newConvNeXt("models.NewConvNeXtBase", 128, [4]int{3, 3, 27, 3}, 0.5, opts)
}

// NewConvNeXtLarge returns a large ConvNeXt with a default [StochasticDepthProb] of 0.5. Follows
// torchvision.models.convnext_large.
func NewConvNeXtLarge(opts ...ConvNeXtOption) *ConvNeXt {
	return newConvNeXt("models.NewConvNeXtLarge", 192, [4]int{3, 3, 27, 3}, 0.5, opts)
}

// newConvNeXt returns a ConvNeXt. channels is the number of channels of its first stage.
// Each later stage has twice as many channels as the stage before it.
func newConvNeXt(op string, channels int64, blocks [4]int, p float64, opts []ConvNeXtOption) *ConvNeXt {
	c := read(op, config{norm: layerNorm2d, stochasticDepth: p}, opts)
	m := new(ConvNeXt)
	m.Init(m)
	m.Features = nn.NewSequential(
		c.conv(3, channels, nil, ops.KernelSize(4), ops.Stride(4), ops.Padding(0), ops.Bias(true)),
	).In(m, "features")
	all, done := 0, 0
	for _, n := range blocks {
		all += n
	}
	for i, n := range blocks {
		stage := nn.NewSequential()
		for range n {
			stage.Append(newCNBlock(c, channels, c.stochasticDepth*float64(done)/(float64(all)-1)))
			done++
		}
		m.Features.Append(stage)
		if i < len(blocks)-1 {
			m.Features.Append(nn.NewSequential(c.norm(channels), nn.NewConv2d(channels, 2*channels, 2, nn.Stride(2))))
			channels *= 2
		}
	}
	m.AvgPool = nn.NewAdaptiveAvgPool2d(1, m.As("avgpool"))
	m.Classifier = nn.NewSequential(c.norm(channels), nn.NewFlatten(), nn.NewLinear(channels, c.numClasses)).In(m,
		"classifier")
	truncated := func(w *torch.Tensor) { nninit.TruncNormal_(w, nninit.Std(0.02)) }
	initialize(m, truncated, func(l *nn.Linear) {
		truncated(l.Weight)
		zero(l.Bias)
	})
	return m
}

// Forward takes normalized images of shape (N, 3, H, W), with at least 32 x 32 pixels,
// and returns logits of shape (N, NumClasses).
func (m *ConvNeXt) Forward(x *torch.Tensor) *torch.Tensor {
	return m.Call(x, func(x *torch.Tensor) *torch.Tensor { return chain.Run(x, m.Features, m.AvgPool, m.Classifier) })
}

// CNBlock is a block of a [ConvNeXt]. Follows torchvision.models.convnext.CNBlock.
type CNBlock struct {
	nn.Base
	Block           *nn.Sequential
	LayerScale      *torch.Tensor // (channels, 1, 1)
	StochasticDepth nn.Layer
}

func newCNBlock(c *config, channels int64, p float64) *CNBlock {
	l := new(CNBlock)
	l.Init(l)
	l.Block = nn.NewSequential(
		nn.NewConv2d(channels, channels, 7, nn.Padding(3), nn.Groups(channels)),
		ops.NewPermute([]int64{0, 2, 3, 1}),
		nn.NewLayerNorm(torch.Shape{channels}, nn.Eps(1e-6)),
		nn.NewLinear(channels, 4*channels),
		nn.NewGELU(),
		nn.NewLinear(4*channels, channels),
		ops.NewPermute([]int64{0, 3, 1, 2}),
	).In(l, "block")
	l.LayerScale = l.RegisterParameter("layer_scale",
		torch.Full(torch.Shape{channels, 1, 1}, c.layerScale, torch.DefaultDType()))
	l.StochasticDepth = ops.NewStochasticDepth(p, ops.ModeRow, l.As("stochastic_depth"))
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *CNBlock) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		y := l.Block.Forward(x)
		y = own.Instead(y, l.LayerScale.Mul(y))
		y = chain.Run(y, l.StochasticDepth)
		return y.Add_(x)
	})
}

// LayerNorm2d normalizes each pixel over its channels.
// Follows torchvision.models.convnext.LayerNorm2d.
type LayerNorm2d struct{ *nn.LayerNorm }

func layerNorm2d(channels int64) nn.Layer {
	l := &LayerNorm2d{nn.NewLayerNorm(torch.Shape{channels}, nn.Eps(1e-6))}
	l.Init(l)
	return l
}

// Forward takes x of shape (N, C, H, W). The result is a new tensor in the channels-last
// format. It panics with ErrShape if x has the wrong number of channels.
func (l *LayerNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return F.LayerNorm(x.Permute(0, 2, 3, 1), l.NormalizedShape, l.Weight, l.Bias, F.Eps(l.Eps)).Permute(0, 3, 1, 2)
	})
}
