package ops

import (
	"fmt"

	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// Conv2dNormActivation is a Sequential of a convolution, a normalization and an
// activation. Follows torchvision.ops.Conv2dNormActivation.
type Conv2dNormActivation struct {
	*nn.Sequential
	OutChannels int64
}

// convolution contains the option values of NewConv2dNormActivation.
type convolution struct {
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
	one := []int64{1, 1}
	c := convolution{
		kernel: []int64{3, 3}, stride: one, dilation: one, groups: 1, inplace: true, norm: batchNorm,
		activation: relu,
	}
	for _, o := range opts {
		c.read(op, o)
	}
	if c.padding == nil {
		c.padding = make([]int64, 2)
		for i := range c.padding {
			c.padding[i] = (c.kernel[i] - 1) / 2 * c.dilation[i]
		}
	}
	if !c.biasGiven {
		c.bias = c.norm == nil
	}
	layers := []nn.Layer{nn.NewConv2d(in, out, c.kernel, nn.Strides(c.stride), nn.Paddings(c.padding),
		nn.Dilations(c.dilation), nn.Groups(c.groups), nn.Bias(c.bias))}
	if c.norm != nil {
		layers = append(layers, c.norm(out))
	}
	if c.activation != nil {
		layers = append(layers, c.activation(c.inplace))
	}
	l := &Conv2dNormActivation{nn.NewSequential(layers...), out}
	l.Init(l)
	return l
}

func (c *convolution) read(op string, o Conv2dNormActivationOption) {
	switch o := o.(type) {
	case KernelSize:
		c.kernel = both(int64(o))
	case KernelSizes:
		c.kernel = pair(op, "KernelSizes", o)
	case Stride:
		c.stride = both(int64(o))
	case Strides:
		c.stride = pair(op, "Strides", o)
	case Padding:
		c.padding = both(int64(o))
	case Paddings:
		c.padding = pair(op, "Paddings", o)
	case Dilation:
		c.dilation = both(int64(o))
	case Dilations:
		c.dilation = pair(op, "Dilations", o)
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

func both(n int64) []int64 { return []int64{n, n} }

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
