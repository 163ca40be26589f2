package ops

import (
	"fmt"
	"math"
	"strings"

	"github.com/gotorch/gotorch/cgotorch/vision"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

type (
	// A DeformConv2dFuncOption is an option of [ApplyDeformConv2d]: [Stride], [Padding], [Dilation] or
	// one of their plurals, [WithBias] or [Mask].
	//
	//gotorch:options Stride Strides Padding Paddings Dilation Dilations BiasOption MaskOption
	DeformConv2dFuncOption interface{ deformConv2dFuncOption() }
	// A DeformConv2dOption is an option of [NewDeformConv2d]: [Stride], [Padding], [Dilation] or one
	// of their plurals, [Groups] or [Bias].
	//
	//gotorch:options Stride Strides Padding Paddings Dilation Dilations Groups Bias
	DeformConv2dOption interface{ deformConv2dOption() }
)

type (
	// BiasOption is the option that [WithBias] returns.
	BiasOption struct{ t *torch.Tensor }
	// MaskOption is the option that [Mask] returns.
	MaskOption struct{ t *torch.Tensor }
)

// WithBias is the bias of ApplyDeformConv2d, of shape (out), bias in Python. nil means none.
func WithBias(t *torch.Tensor) BiasOption { return BiasOption{t} }

// Mask is what ApplyDeformConv2d multiplies the samples by. It has shape (N, offset groups * kernel
// height * kernel width, height, width). nil means none.
func Mask(t *torch.Tensor) MaskOption { return MaskOption{t} }

// ApplyDeformConv2d is a convolution whose kernel elements sample the input at places moved by
// offsets, with bilinear interpolation. input has shape (N, C, H, W), and weight (out, C / groups,
// kernel height, kernel width). offset has shape (N, 2 * offset groups * kernel height * kernel width,
// height, width). It says for each element of the kernel how far down and how far to the right it
// moves. The result has shape (N, out, height, width). The numbers of groups follow from the shapes.
// The default [Padding] is 0.
//
// It panics with ErrShape for other shapes, with ErrDType unless all have the same dtype, Float16,
// Float32 or Float64, with ErrValue for an invalid stride, padding or dilation, and with
// ErrNotImplemented for tensors that are not on the CPU. Follows torchvision.ops.deform_conv2d.
func ApplyDeformConv2d(input, offset, weight *torch.Tensor, opts ...DeformConv2dFuncOption) *torch.Tensor {
	const op = "ops.ApplyDeformConv2d(input, offset, weight, bias, mask)"
	one := [2]int64{1, 1}
	c := vision.Convolution{Stride: one, Dilation: one}
	var bias, mask *torch.Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case BiasOption:
			bias = o.t
		case MaskOption:
			mask = o.t
		default:
			if !readWindow(op, o, &c) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	return deform(op, input, offset, weight, bias, mask, c)
}

// readWindow reads an option about the places of the kernel. It returns false for other options.
func readWindow(op string, o any, c *vision.Convolution) bool {
	switch o := o.(type) {
	case Stride:
		c.Stride = [2]int64{int64(o), int64(o)}
	case Strides:
		c.Stride = [2]int64(pair(op, "Strides", o))
	case Padding:
		c.Padding = [2]int64{int64(o), int64(o)}
	case Paddings:
		c.Padding = [2]int64(pair(op, "Paddings", o))
	case Dilation:
		c.Dilation = [2]int64{int64(o), int64(o)}
	case Dilations:
		c.Dilation = [2]int64(pair(op, "Dilations", o))
	default:
		return false
	}
	return true
}

func deform(op string, input, offset, weight, bias, mask *torch.Tensor, c vision.Convolution) *torch.Tensor {
	x, o, w := input.HandleFor(op, 0), offset.HandleFor(op, 1), weight.HandleFor(op, 2)
	b, m := bias.OptionalHandleFor(op, 3), mask.OptionalHandleFor(op, 4)
	if input.Dim() != 4 || offset.Dim() != 4 || weight.Dim() != 4 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf(
			"expected input, offset and weight of 4 dimensions, got shapes %v, %v and %v", input.Shape(),
			offset.Shape(), weight.Shape())))
	}
	if n := 2 * weight.Size(2) * weight.Size(3); n > 0 {
		c.OffsetGroups = offset.Size(1) / n
	}
	if n := weight.Size(1); n > 0 {
		c.WeightGroups = input.Size(1) / n
	}
	if c.OffsetGroups == 0 || c.WeightGroups == 0 {
		panic(torch.NewError(op, torch.ErrShape, "offset", fmt.Sprintf(
			"the numbers of channels do not match those of weight: got shapes %v, %v and %v", input.Shape(),
			offset.Shape(), weight.Shape())))
	}
	r := torch.BeginRaw(op, input, offset, weight, bias, mask)
	return r.Tensor(vision.DeformConv2d(r.Ctx, x, w, o, m, b, &c))
}

// DeformConv2d is a deformable convolution, a layer with the weights of [ApplyDeformConv2d].
// Follows torchvision.ops.DeformConv2d.
type DeformConv2d struct {
	nn.Base
	InChannels, OutChannels               int64
	KernelSize, Stride, Padding, Dilation [2]int64 // height and width
	Groups                                int64
	Weight                                *torch.Tensor // (out, in / groups, kernel height, kernel width)
	Bias                                  *torch.Tensor // (out), or nil
}

// NewDeformConv2d returns a DeformConv2d. kernelSize is an int, or a slice of height and width. The
// default [Padding] is 0. It panics with ErrValue for invalid sizes, and with ErrNil for a nil
// option.
func NewDeformConv2d(in, out int64, kernelSize any, opts ...DeformConv2dOption) *DeformConv2d {
	const op = "ops.NewDeformConv2d"
	one := [2]int64{1, 1}
	c := vision.Convolution{Stride: one, Dilation: one, WeightGroups: 1}
	bias := true
	for _, o := range opts {
		switch o := o.(type) {
		case Groups:
			c.WeightGroups = int64(o)
		case Bias:
			bias = bool(o)
		default:
			if !readWindow(op, o, &c) {
				panic(torch.BadOption(op, o))
			}
		}
	}
	l := &DeformConv2d{
		InChannels: in, OutChannels: out, KernelSize: two(op, "kernelSize", kernelSize), Stride: c.Stride,
		Padding: c.Padding, Dilation: c.Dilation, Groups: c.WeightGroups,
	}
	l.check(op)
	l.Init(l)
	shape := torch.Shape{out, in / l.Groups, l.KernelSize[0], l.KernelSize[1]}
	l.Weight = l.RegisterParameter("weight", nn.NewParameter(torch.Empty(shape)))
	if bias {
		l.Bias = l.RegisterParameter("bias", nn.NewParameter(torch.Empty(torch.Shape{out})))
	}
	l.ResetParameters()
	return l
}

func (l *DeformConv2d) check(op string) {
	if min(l.InChannels, l.OutChannels, l.Groups-1) < 0 || l.InChannels%l.Groups != 0 || l.OutChannels%l.Groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "Groups", fmt.Sprintf(
			"expected numbers of channels that are multiples of Groups, got %d, %d and %d", l.InChannels, l.OutChannels,
			l.Groups)))
	}
	if min(l.KernelSize[0], l.KernelSize[1], l.Stride[0], l.Stride[1], l.Dilation[0], l.Dilation[1]) < 1 ||
		min(l.Padding[0], l.Padding[1]) < 0 {
		panic(torch.NewError(op, torch.ErrValue, "kernelSize", fmt.Sprintf(
			"expected a positive kernel size, stride and dilation and no negative padding, got %v, %v, %v and %v",
			l.KernelSize, l.Stride, l.Dilation, l.Padding)))
	}
}

// ResetParameters draws new initial values for the parameters. Follows
// DeformConv2d.reset_parameters.
func (l *DeformConv2d) ResetParameters() {
	nninit.KaimingUniform_(l.Weight, nninit.A(math.Sqrt(5)))
	if l.Bias != nil {
		if in := l.Weight.Size(1) * l.KernelSize[0] * l.KernelSize[1]; in > 0 {
			bound := 1 / math.Sqrt(float64(in))
			nninit.Uniform_(l.Bias, -bound, bound)
		}
	}
}

// Forward is [ApplyDeformConv2d] with the layer's weights. mask may be nil.
func (l *DeformConv2d) Forward(input, offset, mask *torch.Tensor) *torch.Tensor {
	in := []*torch.Tensor{input, offset}
	if mask != nil {
		in = append(in, mask)
	}
	return l.CallN(in, func(in []*torch.Tensor) []*torch.Tensor {
		const op = "ops.DeformConv2d.Forward(input, offset, weight, bias, mask)"
		var mask *torch.Tensor
		if len(in) > 2 {
			mask = in[2]
		}
		c := vision.Convolution{Stride: l.Stride, Padding: l.Padding, Dilation: l.Dilation}
		return []*torch.Tensor{deform(op, in[0], in[1], l.Weight, l.Bias, mask, c)}
	})[0]
}

// String returns the layer with its settings, formatted as in Python.
func (l *DeformConv2d) String() string {
	tuple := func(p [2]int64) string { return fmt.Sprintf("(%d, %d)", p[0], p[1]) }
	var s strings.Builder
	fmt.Fprintf(&s, "%s(%d, %d, kernel_size=%s, stride=%s", l.TypeName(), l.InChannels, l.OutChannels,
		tuple(l.KernelSize), tuple(l.Stride))
	if l.Padding != [2]int64{} {
		s.WriteString(", padding=" + tuple(l.Padding))
	}
	if l.Dilation != [2]int64{1, 1} {
		s.WriteString(", dilation=" + tuple(l.Dilation))
	}
	if l.Groups != 1 {
		fmt.Fprintf(&s, ", groups=%d", l.Groups)
	}
	if l.Bias == nil {
		s.WriteString(", bias=False")
	}
	s.WriteString(")")
	return s.String()
}
