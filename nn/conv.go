package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// ConvBase holds the fields common to all convolutions, including transposed ones. You
// may assign to its settings: Forward and String use the new values. Each torch.Shape has
// one number per spatial dimension.
type ConvBase struct {
	Base
	// Weight has shape (OutChannels, InChannels/Groups, KernelSize...), or in a transposed
	// convolution (InChannels, OutChannels/Groups, KernelSize...).
	Weight *torch.Tensor
	Bias   *torch.Tensor // shape (OutChannels), or nil

	InChannels, OutChannels int64
	KernelSize, Stride      torch.Shape
	Padding                 torch.Shape // used if PaddingWord is ""
	PaddingWord             PaddingWord // replaces Padding unless ""
	Dilation                torch.Shape
	OutputPadding           torch.Shape // only for transposed convolutions
	Groups                  int64
	PaddingMode             PaddingMode
}

// convOptions holds the parsed options of a convolution.
type convOptions struct {
	opt.Window
	outputPadding opt.Dims // OutputPadding
	mode          PaddingMode
	groups        int64
	bias          bool
	paramMaker
}

func newConvOptions(n int) convOptions {
	c := convOptions{mode: PaddingModeZeros, groups: 1, bias: true}
	c.Stride.Set(n, 1)
	c.Dilation.Set(n, 1)
	return c
}

// read reads one option. The compiler checks which options a constructor accepts.
func (c *convOptions) read(op string, n int, o any) {
	switch o := o.(type) {
	case PaddingMode:
		c.mode = o
	case Groups:
		c.groups = int64(o)
	case Bias:
		c.bias = bool(o)
	case OutputPadding:
		c.outputPadding.Set(n, int64(o))
	case OutputPaddings:
		c.outputPadding.SetAll(op, "OutputPaddings", n, o)
	default:
		if !c.Window.Take(op, n, o) {
			c.paramMaker.read(op, o)
		}
	}
}

// mustFit panics with ErrValue for invalid sizes of a convolution with kernel k.
func (c *convOptions) mustFit(op string, in, out int64, k []int64) {
	c.setSizes(op, append(sizesOf("kernelSize", k), size{"in", in}, size{"out", out})...)
	if c.groups <= 0 || in%c.groups != 0 || out%c.groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "Groups",
			fmt.Sprintf("expected a divisor of the %[2]d input and %[3]d output channels, got %[1]d", c.groups, in,
				out)))
	}
}

// build makes and registers the parameters of a convolution. channels holds the two
// leading sizes of the weight.
func (c *ConvBase) build(self Module, op string, in, out int64, k []int64, o *convOptions, channels [2]int64) {
	n := len(k)
	c.InChannels, c.OutChannels, c.KernelSize, c.Groups = in, out, k, o.groups
	c.Stride, c.Padding, c.Dilation, c.OutputPadding = slices.Clone(o.Stride[:n]), slices.Clone(o.Padding[:n]),
		slices.Clone(o.Dilation[:n]), slices.Clone(o.outputPadding[:n])
	c.PaddingWord, c.PaddingMode = o.Word, o.mode
	c.startLayer(self)
	returned := false
	defer o.closeAfterPanic(&c.Base, &returned)
	c.parameter("weight", &c.Weight, o.empty(append(channels[:], k...)...))
	c.parameter("bias", &c.Bias, o.emptyIf(o.bias, out))
	c.ResetParameters()
	o.as.register(self)
	returned = true
}

// ResetParameters draws new values for Weight and Bias, as the constructor does.
func (c *ConvBase) ResetParameters() {
	mustBeMade("ConvBase.ResetParameters", c)
	resetWeightAndBias(c.Weight, c.Bias)
}

// buildConv makes a convolution that is not transposed.
func (c *ConvBase) buildConv(self Module, op string, in, out int64, kernel any, n int, opts []ConvOption) {
	o := newConvOptions(n)
	for _, x := range opts {
		o.read(op, n, x)
	}
	k := opt.ReadSize(op, "kernelSize", kernel, n)
	o.mustFit(op, in, out, k)
	if o.Word == PaddingSame && slices.ContainsFunc(o.Stride[:n], func(n int64) bool { return n != 1 }) {
		panic(torch.NewError(op, torch.ErrValue, "Padding", `"same" needs a stride of 1`))
	}
	switch o.mode {
	case PaddingModeZeros, PaddingModeReflect, PaddingModeReplicate, PaddingModeCircular:
	default:
		panic(torch.NewError(op, torch.ErrValue, "PaddingMode",
			fmt.Sprintf("expected zeros, reflect, replicate or circular, got %q", string(o.mode))))
	}
	c.build(self, op, in, out, k, &o, [2]int64{out, in / o.groups})
}

// describe formats the settings as PyTorch's extra_repr does.
func (c *ConvBase) describe() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d, %d, kernel_size=%v, stride=%v", c.InChannels, c.OutChannels, c.KernelSize, c.Stride)
	other := func(name string, v torch.Shape, usual int64) {
		if slices.ContainsFunc(v, func(n int64) bool { return n != usual }) {
			fmt.Fprintf(&s, ", %s=%v", name, v)
		}
	}
	if c.PaddingWord != "" {
		fmt.Fprintf(&s, ", padding=%s", string(c.PaddingWord))
	} else {
		other("padding", c.Padding, 0)
	}
	other("dilation", c.Dilation, 1)
	other("output_padding", c.OutputPadding, 0)
	if c.Groups != 1 {
		fmt.Fprintf(&s, ", groups=%d", c.Groups)
	}
	if !c.hasBias() {
		s.WriteString(", bias=False")
	}
	if c.PaddingMode != PaddingModeZeros {
		s.WriteString(", padding_mode=" + string(c.PaddingMode))
	}
	return s.String()
}

// shapeField is a field with one number per spatial dimension.
type shapeField struct {
	name string
	list torch.Shape
}

// mustHaveLength panics unless fields, which a program may have changed, have n numbers.
func (c *ConvBase) mustHaveLength(op string, n int, fields ...shapeField) {
	for _, f := range fields {
		if len(f.list) != n {
			panic(torch.NewError(op, torch.ErrValue, f.name, fmt.Sprintf("expected %d numbers, got %v", n, f.list)))
		}
	}
}

// paddingAround returns the padding for F.Pad, which starts at the last dimension. The
// convolution kernels themselves pad only with zeros.
func (c *ConvBase) paddingAround(op string, n int) []int64 {
	c.mustHaveLength(op, n, shapeField{"KernelSize", c.KernelSize}, shapeField{"Padding", c.Padding},
		shapeField{"Dilation", c.Dilation})
	pad := make([]int64, 0, 2*n)
	for i := n - 1; i >= 0; i-- {
		before, after := c.Padding[i], c.Padding[i]
		if c.PaddingWord == PaddingSame {
			total := c.Dilation[i] * (c.KernelSize[i] - 1)
			before, after = total/2, total-total/2
		}
		pad = append(pad, before, after)
	}
	return pad
}

// run convolves in n spatial dimensions.
func (c *ConvBase) run(op string, n int, x *torch.Tensor) *torch.Tensor {
	list := [...]F.ConvOption{F.Strides(c.Stride), F.Dilations(c.Dilation), F.Groups(c.Groups), F.Paddings(c.Padding)}
	opts := list[:]
	switch {
	case c.PaddingMode != PaddingModeZeros:
		x = F.Pad(x, c.paddingAround(op, n), F.Mode(c.PaddingMode))
		defer func() { _ = x.Close() }()
		opts = list[:3]
	case c.PaddingWord != "":
		opts[3] = c.PaddingWord
	}
	switch n {
	case 1:
		return F.Conv1d(x, c.Weight, c.Bias, opts...)
	case 2:
		return F.Conv2d(x, c.Weight, c.Bias, opts...)
	}
	return F.Conv3d(x, c.Weight, c.Bias, opts...)
}

// Conv1d convolves sequences. Follows torch.nn.Conv1d.
type Conv1d struct{ ConvBase }

// NewConv1d makes a convolution layer; in and out are its numbers of input and output
// channels. kernelSize is an int. It panics with ErrValue for invalid sizes. Follows
// torch.nn.Conv1d.
func NewConv1d(in, out int64, kernelSize any, opts ...ConvOption) *Conv1d {
	l := new(Conv1d)
	l.buildConv(l, "NewConv1d", in, out, kernelSize, 1, opts)
	return l
}

// Forward takes x of shape (N, in, L) or (in, L). It panics with ErrShape or ErrDType if
// x has the wrong shape or dtype.
func (l *Conv1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run("Conv1d", 1, x) })
}

// Conv2d convolves images. Follows torch.nn.Conv2d.
type Conv2d struct{ ConvBase }

// NewConv2d makes a convolution layer; in and out are its numbers of input and output
// channels. kernelSize is an int, or a slice of height and width. It panics with ErrValue
// for invalid sizes. Follows torch.nn.Conv2d.
func NewConv2d(in, out int64, kernelSize any, opts ...ConvOption) *Conv2d {
	l := new(Conv2d)
	l.buildConv(l, "NewConv2d", in, out, kernelSize, 2, opts)
	return l
}

// Forward takes x of shape (N, in, H, W) or (in, H, W). It panics with ErrShape or
// ErrDType if x has the wrong shape or dtype.
func (l *Conv2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run("Conv2d", 2, x) })
}

// Conv3d convolves volumes. Follows torch.nn.Conv3d.
type Conv3d struct{ ConvBase }

// NewConv3d makes a convolution layer; in and out are its numbers of input and output
// channels. kernelSize is an int, or a slice of depth, height and width. It panics with
// ErrValue for invalid sizes. Follows torch.nn.Conv3d.
func NewConv3d(in, out int64, kernelSize any, opts ...ConvOption) *Conv3d {
	l := new(Conv3d)
	l.buildConv(l, "NewConv3d", in, out, kernelSize, 3, opts)
	return l
}

// Forward takes x of shape (N, in, D, H, W) or (in, D, H, W). It panics with ErrShape or
// ErrDType if x has the wrong shape or dtype.
func (l *Conv3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.run("Conv3d", 3, x) })
}
