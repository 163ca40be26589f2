package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// The model of efficientnet_lite_pytorch/model.py, for efficientnet-lite0: ReLU6 in place of
// swish, no squeeze and excitation, and stem and head of a fixed width.

// imageSize is the height and width of images.
const imageSize = 224

// blockArgs are those of a stage, as the string r2_k3_s22_e6_i16_o24 says them.
type blockArgs struct{ numRepeat, kernelSize, stride, expandRatio, inputFilters, outputFilters int64 }

var blocksArgs = []blockArgs{
	{1, 3, 1, 1, 32, 16},
	{2, 3, 2, 6, 16, 24},
	{2, 5, 2, 6, 24, 40},
	{3, 3, 2, 6, 40, 80},
	{3, 5, 1, 6, 80, 112},
	{4, 5, 2, 6, 112, 192},
	{1, 3, 1, 6, 192, 320},
}

// conv2dStaticSamePadding is a convolution with TensorFlow's padding "SAME" for one size of
// images: where it cannot be even, there is more of it to the right and below.
type conv2dStaticSamePadding struct {
	nn.Base
	weight *torch.Tensor
	pad    []int64
	opts   []F.ConvOption
}

func newConv2d(in, out, kernelSize, stride, groups, imageSize int64) *conv2dStaticSamePadding {
	c := new(conv2dStaticSamePadding)
	c.Init(c)
	c.weight = c.RegisterParameter("weight", torch.Zeros(torch.Shape{out, in / groups, kernelSize, kernelSize})) // comes from the file
	c.opts = []F.ConvOption{F.Stride(stride), F.Groups(groups)}
	if pad := max((outputSize(imageSize, stride)-1)*stride+kernelSize-imageSize, 0); pad > 0 {
		c.pad = []int64{pad / 2, pad - pad/2, pad / 2, pad - pad/2}
	}
	return c
}

// Forward pads x, whose images are of the size, and convolves it.
func (c *conv2dStaticSamePadding) Forward(x *torch.Tensor) *torch.Tensor {
	return c.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if c.pad != nil {
			x = F.Pad(x, c.pad)
		}
		return F.Conv2d(x, c.weight, nil, c.opts...)
	})
}

// outputSize is what is left of a size after a stride; calculate_output_image_size in Python.
func outputSize(size, stride int64) int64 { return (size + stride - 1) / stride }

// mbConvBlock is a mobile inverted bottleneck: wider, depthwise, narrower again.
type mbConvBlock struct {
	nn.Base
	expandConv, depthwiseConv, projectConv *conv2dStaticSamePadding // expandConv is nil for an expandRatio of 1
	bn0, bn1, bn2                          *nn.BatchNorm2d
	relu6                                  *nn.ReLU6
	skip                                   bool
}

func newMBConvBlock(args blockArgs, imageSize int64) *mbConvBlock {
	b := new(mbConvBlock)
	b.Init(b)

	// Expansion phase (inverted bottleneck)
	oup := args.inputFilters * args.expandRatio
	if args.expandRatio != 1 {
		b.expandConv = newConv2d(args.inputFilters, oup, 1, 1, 1, imageSize)
		b.Register("_expand_conv", b.expandConv)
		b.bn0 = nn.NewBatchNorm2d(oup, nn.Momentum(0.01), nn.Eps(1e-3), b.As("_bn0"))
	}

	// Depthwise convolution phase
	b.depthwiseConv = newConv2d(oup, oup, args.kernelSize, args.stride, oup, imageSize)
	b.Register("_depthwise_conv", b.depthwiseConv)
	b.bn1 = nn.NewBatchNorm2d(oup, nn.Momentum(0.01), nn.Eps(1e-3), b.As("_bn1"))
	imageSize = outputSize(imageSize, args.stride)

	// Pointwise convolution phase
	b.projectConv = newConv2d(oup, args.outputFilters, 1, 1, 1, imageSize)
	b.Register("_project_conv", b.projectConv)
	b.bn2 = nn.NewBatchNorm2d(args.outputFilters, nn.Momentum(0.01), nn.Eps(1e-3), b.As("_bn2"))
	b.relu6 = nn.NewReLU6(b.As("_swish"))
	b.skip = args.stride == 1 && args.inputFilters == args.outputFilters
	return b
}

// Forward returns the block's features of inputs.
func (b *mbConvBlock) Forward(inputs *torch.Tensor) *torch.Tensor {
	return b.Call(inputs, func(inputs *torch.Tensor) *torch.Tensor {
		x := inputs
		if b.expandConv != nil {
			x = b.relu6.Forward(b.bn0.Forward(b.expandConv.Forward(inputs)))
		}
		x = b.relu6.Forward(b.bn1.Forward(b.depthwiseConv.Forward(x)))
		x = b.bn2.Forward(b.projectConv.Forward(x))
		if b.skip {
			x = x.Add(inputs) // drop connect is for training
		}
		return x
	})
}

// efficientNet is the whole model. It takes (n, 3, 224, 224) and returns logits, (n, 1000).
type efficientNet struct {
	nn.Base
	convStem, convHead *conv2dStaticSamePadding
	bn0, bn1           *nn.BatchNorm2d
	blocks             *nn.ModuleList
	avgPooling         *nn.AdaptiveAvgPool2d
	dropout            *nn.Dropout
	fc                 *nn.Linear
	relu6              *nn.ReLU6
}

func newEfficientNet() *efficientNet {
	m := new(efficientNet)
	m.Init(m)

	// Stem
	m.convStem = newConv2d(3, 32, 3, 2, 1, imageSize)
	m.Register("_conv_stem", m.convStem)
	m.bn0 = nn.NewBatchNorm2d(32, nn.Momentum(0.01), nn.Eps(1e-3), m.As("_bn0"))
	size := outputSize(imageSize, 2)

	// Blocks
	var blocks []nn.Module
	for _, args := range blocksArgs {
		// The first block takes care of stride and filter size.
		blocks = append(blocks, newMBConvBlock(args, size))
		size = outputSize(size, args.stride)
		args.inputFilters, args.stride = args.outputFilters, 1
		for range args.numRepeat - 1 {
			blocks = append(blocks, newMBConvBlock(args, size))
		}
	}
	m.blocks = nn.NewModuleList(blocks...).In(m, "_blocks")

	// Head
	m.convHead = newConv2d(320, 1280, 1, 1, 1, size)
	m.Register("_conv_head", m.convHead)
	m.bn1 = nn.NewBatchNorm2d(1280, nn.Momentum(0.01), nn.Eps(1e-3), m.As("_bn1"))
	m.avgPooling = nn.NewAdaptiveAvgPool2d(1, m.As("_avg_pooling"))
	m.dropout = nn.NewDropout(nn.P(0.2), m.As("_dropout"))
	m.fc = nn.NewLinear(1280, 1000, m.As("_fc"))
	m.relu6 = nn.NewReLU6(m.As("_swish"))
	return m
}

// Forward returns the logits of images.
func (m *efficientNet) Forward(inputs *torch.Tensor) *torch.Tensor {
	return m.Call(inputs, func(inputs *torch.Tensor) *torch.Tensor {
		x := m.relu6.Forward(m.bn0.Forward(m.convStem.Forward(inputs)))
		for i := range m.blocks.Len() {
			x = m.blocks.At(i).(nn.Layer).Forward(x)
		}
		x = m.relu6.Forward(m.bn1.Forward(m.convHead.Forward(x)))
		x = m.avgPooling.Forward(x).Flatten(1, -1)
		return m.fc.Forward(m.dropout.Forward(x))
	})
}
