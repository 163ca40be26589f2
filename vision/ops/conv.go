package ops

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Conv2dNormActivation is a Sequential of a convolution, a normalization and an
// activation. Follows torchvision.ops.Conv2dNormActivation.
type Conv2dNormActivation struct {
	*nn.Sequential
	OutChannels int64
}

// Conv3dNormActivation is [Conv2dNormActivation] for volumes, such as videos. Follows
// torchvision.ops.Conv3dNormActivation.
type Conv3dNormActivation struct {
	*nn.Sequential
	OutChannels int64
}

// convolution contains the option values of NewConv2dNormActivation and
// NewConv3dNormActivation.
type convolution struct {
	dims                              int
	kernel, stride, padding, dilation []int64 // if padding is nil, the default is computed
	groups                            int64
	bias, biasGiven, inplace          bool
	norm                              NormLayer
	activation                        ActivationLayer
}

// NewConv2dNormActivation returns a Sequential of a convolution from in to out channels, a
// normalization and an activation. It panics with ErrValue for invalid sizes, like
// nn.NewConv2d, and with ErrNil for a nil option.
func NewConv2dNormActivation(in, out int64, opts ...Conv2dNormActivationOption) *Conv2dNormActivation {
	const op = "ops.NewConv2dNormActivation"
	c := convolution{dims: 2, norm: batchNorm}
	c.readAll(op, opts)
	conv := nn.NewConv2d(in, out, c.kernel, nn.Strides(c.stride), nn.Paddings(c.padding), nn.Dilations(c.dilation),
		nn.Groups(c.groups), nn.Bias(c.bias))
	l := &Conv2dNormActivation{c.layers(conv, out), out}
	l.Init(l)
	return l
}

// NewConv3dNormActivation returns a Sequential of a convolution of volumes from in to out
// channels, a normalization and an activation. The options for several numbers take a depth,
// a height and a width. The default [NormLayer] is nn.NewBatchNorm3d. It panics with ErrValue
// for invalid sizes, like nn.NewConv3d, and with ErrNil for a nil option.
func NewConv3dNormActivation(in, out int64, opts ...Conv2dNormActivationOption) *Conv3dNormActivation {
	const op = "ops.NewConv3dNormActivation"
	c := convolution{dims: 3, norm: func(channels int64) nn.Layer { return nn.NewBatchNorm3d(channels) }}
	c.readAll(op, opts)
	conv := nn.NewConv3d(in, out, c.kernel, nn.Strides(c.stride), nn.Paddings(c.padding), nn.Dilations(c.dilation),
		nn.Groups(c.groups), nn.Bias(c.bias))
	l := &Conv3dNormActivation{c.layers(conv, out), out}
	l.Init(l)
	return l
}

// layers returns the convolution with the layers that follow it.
func (c *convolution) layers(conv nn.Layer, out int64) *nn.Sequential {
	layers := []nn.Layer{conv}
	if c.norm != nil {
		layers = append(layers, c.norm(out))
	}
	if c.activation != nil {
		layers = append(layers, c.activation(c.inplace))
	}
	return nn.NewSequential(layers...)
}

func (c *convolution) readAll(op string, opts []Conv2dNormActivationOption) {
	c.kernel, c.stride, c.dilation = c.all(3), c.all(1), c.all(1)
	c.groups, c.inplace, c.activation = 1, true, relu
	for _, o := range opts {
		c.read(op, o)
	}
	if c.padding == nil {
		c.padding = make([]int64, c.dims)
		for i := range c.padding {
			c.padding[i] = (c.kernel[i] - 1) / 2 * c.dilation[i]
		}
	}
	if !c.biasGiven {
		c.bias = c.norm == nil
	}
}

func (c *convolution) read(op string, o Conv2dNormActivationOption) {
	switch o := o.(type) {
	case KernelSize:
		c.kernel = c.all(int64(o))
	case KernelSizes:
		c.kernel = c.list(op, "KernelSizes", o)
	case Stride:
		c.stride = c.all(int64(o))
	case Strides:
		c.stride = c.list(op, "Strides", o)
	case Padding:
		c.padding = c.all(int64(o))
	case Paddings:
		c.padding = c.list(op, "Paddings", o)
	case Dilation:
		c.dilation = c.all(int64(o))
	case Dilations:
		c.dilation = c.list(op, "Dilations", o)
	case Groups:
		c.groups = int64(o)
	case Bias:
		c.bias, c.biasGiven = bool(o), true
	case NormLayer:
		c.norm = o
	case ActivationLayer:
		c.activation = o
	case Inplace:
		c.inplace = bool(o)
	default:
		panic(torch.BadOption(op, o))
	}
}

// In registers l as a submodule of parent under name, and returns l. It panics like
// nn.Base.Register.
func (l *Conv2dNormActivation) In(parent nn.Module, name string) *Conv2dNormActivation {
	parent.ModuleBase().Register(name, l)
	return l
}

// In registers l as a submodule of parent under name, and returns l. It panics like
// nn.Base.Register.
func (l *Conv3dNormActivation) In(parent nn.Module, name string) *Conv3dNormActivation {
	parent.ModuleBase().Register(name, l)
	return l
}

// all returns n for each dimension.
func (c *convolution) all(n int64) []int64 { return slices.Repeat([]int64{n}, c.dims) }

// list panics unless a list has a number for each dimension.
func (c *convolution) list(op, arg string, list []int64) []int64 {
	if c.dims == 2 {
		return pair(op, arg, list)
	}
	if len(list) != c.dims {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a depth, a height and a width, got %d numbers", len(list))))
	}
	return list
}

// pair panics unless a list has two elements, a height and a width.
func pair(op, arg string, list []int64) []int64 {
	if len(list) != 2 {
		panic(torch.NewError(op, torch.ErrValue, arg,
			fmt.Sprintf("expected a height and a width, got %d numbers", len(list))))
	}
	return list
}

func batchNorm(channels int64) nn.Layer { return nn.NewBatchNorm2d(channels) }
func relu(inplace bool) nn.Layer        { return nn.NewReLU(nn.Inplace(inplace)) }
