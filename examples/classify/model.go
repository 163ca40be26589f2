package main

import (
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// This is the model efficientnet-lite0 of efficientnet_lite_pytorch/model.py. It differs
// from EfficientNet: it has ReLU6 instead of swish, no squeeze and excitation, and a stem
// and a head of fixed width. nn.Sequential frees the result of a layer as soon as the
// next layer has run.

// imageSize is the height and width of images.
const imageSize = 224

// blockArgs are the arguments of one stage. In Python they are a string such as
// r2_k3_s22_e6_i16_o24.
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

// conv2dStaticSamePadding is a convolution with TensorFlow's padding "SAME", computed for
// one image size. If the total padding of a dimension is odd, the extra pixel is on the
// right or at the bottom.
type conv2dStaticSamePadding struct {
	nn.Base
	weight *torch.Tensor
	pad    []int64
	opts   []F.ConvOption
}

func newConv2d(in, out, kernelSize, stride, groups, imageSize int64) *conv2dStaticSamePadding {
	c := new(conv2dStaticSamePadding)
	c.Init(c)
	// These zeros are replaced by the weights file.
	c.weight = c.RegisterParameter("weight", torch.Zeros(torch.Shape{out, in / groups, kernelSize, kernelSize}))
	c.opts = []F.ConvOption{F.Stride(stride), F.Groups(groups)}
	if pad := max((outputSize(imageSize, stride)-1)*stride+kernelSize-imageSize, 0); pad > 0 {
		c.pad = []int64{pad / 2, pad - pad/2, pad / 2, pad - pad/2}
	}
	return c
}

// Forward pads x and convolves it. x must have the image size that was passed to the
// constructor.
func (c *conv2dStaticSamePadding) Forward(x *torch.Tensor) *torch.Tensor {
	return c.Call(x, func(x *torch.Tensor) *torch.Tensor {
		if c.pad != nil {
			x = F.Pad(x, c.pad)
		}
		return F.Conv2d(x, c.weight, nil, c.opts...)
	})
}

// outputSize returns size divided by stride, rounded up. In Python it is called
// calculate_output_image_size.
func outputSize(size, stride int64) int64 { return (size + stride - 1) / stride }

func newBatchNorm2d(features int64) *nn.BatchNorm2d {
	return nn.NewBatchNorm2d(features, nn.Momentum(0.01), nn.Eps(1e-3))
}

// mbConvBlock is a mobile inverted bottleneck: a convolution that widens, a depthwise
// convolution, and a convolution that narrows again.
type mbConvBlock struct {
	*nn.Sequential
	skip bool
}

func newMBConvBlock(args blockArgs, imageSize int64) *mbConvBlock {
	b := &mbConvBlock{nn.NewSequential(), args.stride == 1 && args.inputFilters == args.outputFilters}
	b.Init(b)

	// Expansion phase (inverted bottleneck)
	oup := args.inputFilters * args.expandRatio
	if args.expandRatio != 1 {
		b.Add("_expand_conv", newConv2d(args.inputFilters, oup, 1, 1, 1, imageSize))
		b.Add("_bn0", newBatchNorm2d(oup)).Add("_swish0", nn.NewReLU6())
	}

	// Depthwise convolution phase
	b.Add("_depthwise_conv", newConv2d(oup, oup, args.kernelSize, args.stride, oup, imageSize))
	b.Add("_bn1", newBatchNorm2d(oup)).Add("_swish1", nn.NewReLU6())
	imageSize = outputSize(imageSize, args.stride)

	// Pointwise convolution phase
	b.Add("_project_conv", newConv2d(oup, args.outputFilters, 1, 1, 1, imageSize))
	b.Add("_bn2", newBatchNorm2d(args.outputFilters))
	return b
}

// Forward runs the block.
func (b *mbConvBlock) Forward(inputs *torch.Tensor) *torch.Tensor {
	return b.Call(inputs, func(inputs *torch.Tensor) *torch.Tensor {
		x := b.Sequential.Forward(inputs)
		if b.skip {
			// Python's drop_connect is left out, because only training uses it.
			x = x.Add(inputs)
		}
		return x
	})
}

// newEfficientNet returns the whole model. Its input has shape (n, 3, 224, 224), and its
// logits have shape (n, 1000).
func newEfficientNet() *nn.Sequential {
	m := nn.NewSequential()

	// Stem
	m.Add("_conv_stem", newConv2d(3, 32, 3, 2, 1, imageSize))
	m.Add("_bn0", newBatchNorm2d(32)).Add("_swish0", nn.NewReLU6())
	size := outputSize(imageSize, 2)

	// Blocks
	blocks := nn.NewSequential().In(m, "_blocks")
	for _, args := range blocksArgs {
		// Only the first block of a stage changes the number of channels and may have a
		// stride.
		blocks.Append(newMBConvBlock(args, size))
		size = outputSize(size, args.stride)
		args.inputFilters, args.stride = args.outputFilters, 1
		for range args.numRepeat - 1 {
			blocks.Append(newMBConvBlock(args, size))
		}
	}

	// Head
	m.Add("_conv_head", newConv2d(320, 1280, 1, 1, 1, size))
	m.Add("_bn1", newBatchNorm2d(1280)).Add("_swish1", nn.NewReLU6())
	m.Add("_avg_pooling", nn.NewAdaptiveAvgPool2d(1)).Add("flatten", nn.NewFlatten())
	m.Add("_dropout", nn.NewDropout(0.2)).Add("_fc", nn.NewLinear(1280, 1000))
	return m
}
