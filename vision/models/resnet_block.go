package models

import (
	"github.com/gotorch/gotorch/internal/native/own"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/vision/internal/chain"
)

type blockKind bool

const (
	basic      blockKind = false
	bottleneck blockKind = true
)

// expansion returns the ratio of a block's output channels to its inner channels.
func (k blockKind) expansion() int64 {
	if k == bottleneck {
		return 4
	}
	return 1
}

// BasicBlock is a residual block of two convolutions.
// Follows torchvision.models.resnet.BasicBlock.
type BasicBlock struct {
	nn.Base
	Conv1, BN1, ReLU, Conv2, BN2 nn.Layer
	// Downsample is nil if the input already has the size of the result.
	Downsample nn.Layer
}

// Bottleneck is a residual block of three convolutions; the middle one has fewer
// channels. Follows torchvision.models.resnet.Bottleneck.
type Bottleneck struct {
	nn.Base
	Conv1, BN1, Conv2, BN2, Conv3, BN3, ReLU nn.Layer
	// Downsample is nil if the input already has the size of the result.
	Downsample nn.Layer
}

// resNetBuilder builds the layers of a ResNet.
type resNetBuilder struct {
	*config
	kind         blockKind
	in, dilation int64
}

// layer returns a Sequential of blocks. The first block has the given stride. If dilate
// is true, the layer has a dilation instead of a stride.
func (b *resNetBuilder) layer(planes int64, blocks int, stride int64, dilate bool) *nn.Sequential {
	before := b.dilation
	if dilate {
		b.dilation *= stride
		stride = 1
	}
	out := planes * b.kind.expansion()
	var downsample nn.Layer
	if stride != 1 || b.in != out {
		downsample = nn.NewSequential(conv1x1(b.in, out, stride), b.norm(out))
	}
	layers := nn.NewSequential(b.block(planes, stride, before, downsample))
	b.in = out
	for range blocks - 1 {
		layers.Append(b.block(planes, 1, b.dilation, nil))
	}
	return layers
}

func (b *resNetBuilder) block(planes, stride, dilation int64, downsample nn.Layer) nn.Layer {
	if b.kind == bottleneck {
		return b.bottleneck(planes, stride, dilation, downsample)
	}
	l := new(BasicBlock)
	l.Init(l)
	l.Conv1 = conv3x3(b.in, planes, stride, 1, 1, l.As("conv1"))
	l.BN1 = b.norm(planes)
	l.Register("bn1", l.BN1)
	l.ReLU = nn.NewReLU(nn.Inplace(true), l.As("relu"))
	l.Conv2 = conv3x3(planes, planes, 1, 1, 1, l.As("conv2"))
	l.BN2 = b.norm(planes)
	l.Register("bn2", l.BN2)
	if downsample != nil {
		l.Downsample = downsample
		l.Register("downsample", downsample)
	}
	return l
}

func (b *resNetBuilder) bottleneck(planes, stride, dilation int64, downsample nn.Layer) nn.Layer {
	width := int64(float64(planes)*(float64(b.widthPerGroup)/64)) * b.groups
	out := planes * bottleneck.expansion()
	l := new(Bottleneck)
	l.Init(l)
	l.Conv1 = conv1x1(b.in, width, 1, l.As("conv1"))
	l.BN1 = b.norm(width)
	l.Register("bn1", l.BN1)
	l.Conv2 = conv3x3(width, width, stride, b.groups, dilation, l.As("conv2"))
	l.BN2 = b.norm(width)
	l.Register("bn2", l.BN2)
	l.Conv3 = conv1x1(width, out, 1, l.As("conv3"))
	l.BN3 = b.norm(out)
	l.Register("bn3", l.BN3)
	l.ReLU = nn.NewReLU(nn.Inplace(true), l.As("relu"))
	if downsample != nil {
		l.Downsample = downsample
		l.Register("downsample", downsample)
	}
	return l
}

// conv3x3 returns a 3x3 convolution. With a stride of 1 the result is as large as the
// input.
func conv3x3(in, out, stride, groups, dilation int64, opts ...nn.ConvOption) *nn.Conv2d {
	return nn.NewConv2d(in, out, 3,
		append(opts, nn.Stride(stride), nn.Padding(dilation), nn.Groups(groups), nn.Dilation(dilation),
			nn.Bias(false))...)
}

func conv1x1(in, out, stride int64, opts ...nn.ConvOption) *nn.Conv2d {
	return nn.NewConv2d(in, out, 1, append(opts, nn.Stride(stride), nn.Bias(false))...)
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *BasicBlock) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		out := chain.Run(x, l.Conv1, l.BN1, l.ReLU, l.Conv2, l.BN2)
		return residual(out, x, l.Downsample, l.ReLU)
	})
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor.
func (l *Bottleneck) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		out := chain.Run(x, l.Conv1, l.BN1, l.ReLU, l.Conv2, l.BN2, l.ReLU, l.Conv3, l.BN3)
		return residual(out, x, l.Downsample, l.ReLU)
	})
}

// residual adds x to out in place. If downsample is not nil, residual adds downsample's
// result for x instead. Then it applies activation.
func residual(out, x *torch.Tensor, downsample, activation nn.Layer) *torch.Tensor {
	if downsample == nil {
		out.Add_(x)
	} else {
		identity := downsample.Forward(x)
		out.Add_(identity)
		own.Release(identity)
	}
	return own.Instead(out, activation.Forward(out))
}
