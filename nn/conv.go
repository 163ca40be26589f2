package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// convolution is what the convolutions of all dimensions share beside their
// parameters.
type convolution struct {
	opts []F.ConvOption
	pad  []int64     // for F.Pad, with a padding mode other than zeros
	mode PaddingMode // "": zeros
}

// convOptions are the options of a convolution, read.
type convOptions struct {
	opt.Window
	extra  opt.Dims // OutputPadding
	mode   PaddingMode
	groups int64
	bias   bool
	making
}

func newConvOptions(n int) convOptions {
	c := convOptions{mode: PaddingModeZeros, groups: 1, bias: true}
	c.Stride.Set(n, 1)
	c.Dilation.Set(n, 1)
	return c
}

// read reads one option; which of them there can be is for the compiler.
func (c *convOptions) read(op string, n int, o any) {
	switch o := o.(type) {
	case PaddingMode:
		c.mode = o
	case Groups:
		c.groups = int64(o)
	case Bias:
		c.bias = bool(o)
	case OutputPadding:
		c.extra.Set(n, int64(o))
	case OutputPaddings:
		c.extra.SetAll(op, "OutputPaddings", n, o)
	default:
		if !c.Window.Take(op, n, o) {
			c.making.read(op, o)
		}
	}
}

// check checks the sizes of a convolution with kernel k.
func (c *convOptions) check(op string, in, out int64, k []int64) {
	c.sizes(op, append(sizesOf("kernelSize", k), size{"in", in}, size{"out", out})...)
	if c.groups <= 0 || in%c.groups != 0 || out%c.groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "Groups", fmt.Sprintf("%d must divide %d input and %d output channels", c.groups, in, out)))
	}
}

// register makes the parameters, whose weight has a shape, and registers all there
// is.
func (c *convOptions) register(b *Base, in, out int64, k, shape []int64, weight, bias **torch.Tensor) {
	returned := false
	defer c.undo(b, &returned)
	b.parameter("weight", weight, c.empty(append(shape, k...)...))
	b.parameter("bias", bias, c.emptyIf(c.bias, out))
	resetWeightAndBias(*weight, *bias)
	as := c.as
	c.as = Registration{} // which would keep the parent alive
	b.extra = func(b *Base) string { return c.repr(in, out, k, b.hasBias()) }
	as.register(b.self)
	returned = true
}

// build makes the parameters of a convolution and registers all there is.
func (c *convolution) build(b *Base, op string, in, out int64, kernel any, n int, opts []ConvOption, weight, bias **torch.Tensor) {
	o := newConvOptions(n)
	for _, x := range opts {
		o.read(op, n, x)
	}
	k := opt.ReadSize(op, "kernelSize", kernel, n)
	o.check(op, in, out, k)
	stride, padding, dilation := slices.Clone(o.Stride[:n]), slices.Clone(o.Padding[:n]), slices.Clone(o.Dilation[:n])
	if o.Word == PaddingSame && slices.ContainsFunc(stride, func(n int64) bool { return n != 1 }) {
		panic(torch.NewError(op, torch.ErrValue, "Padding", `"same" needs a stride of 1`))
	}
	c.opts = []F.ConvOption{F.Strides(stride), F.Dilations(dilation), F.Groups(o.groups)}
	c.setPaddingMode(op, o, k)
	switch {
	case c.mode != "":
	case o.Word != "":
		c.opts = append(c.opts, o.Word)
	default:
		c.opts = append(c.opts, F.Paddings(padding))
	}

	o.register(b, in, out, k, []int64{out, in / o.groups}, weight, bias)
}

// repr is PyTorch's extra_repr.
func (o *convOptions) repr(in, out int64, k []int64, bias bool) string {
	n := len(k)
	var s strings.Builder
	fmt.Fprintf(&s, "%d, %d, kernel_size=%v, stride=%v", in, out, torch.Shape(k), torch.Shape(o.Stride[:n]))
	if o.Word != "" {
		fmt.Fprintf(&s, ", padding=%s", string(o.Word))
	} else if slices.Max(o.Padding[:n]) != 0 {
		fmt.Fprintf(&s, ", padding=%v", torch.Shape(o.Padding[:n]))
	}
	if slices.Max(o.Dilation[:n]) != 1 {
		fmt.Fprintf(&s, ", dilation=%v", torch.Shape(o.Dilation[:n]))
	}
	if slices.Max(o.extra[:n]) != 0 {
		fmt.Fprintf(&s, ", output_padding=%v", torch.Shape(o.extra[:n]))
	}
	if o.groups != 1 {
		fmt.Fprintf(&s, ", groups=%d", o.groups)
	}
	if !bias {
		s.WriteString(", bias=False")
	}
	if o.mode != PaddingModeZeros {
		s.WriteString(", padding_mode=" + string(o.mode))
	}
	return s.String()
}

// setPaddingMode prepares an explicit padding, which the convolution itself
// can only do with zeros.
func (c *convolution) setPaddingMode(op string, o convOptions, kernel []int64) {
	switch o.mode {
	case PaddingModeZeros:
		return
	case PaddingModeReflect, PaddingModeReplicate, PaddingModeCircular:
	default:
		panic(torch.NewError(op, torch.ErrValue, "PaddingMode", fmt.Sprintf("no padding mode %q of convolutions", string(o.mode))))
	}
	c.mode = o.mode
	for i := len(kernel) - 1; i >= 0; i-- { // Pad starts at the last dimension
		before, after := o.Padding[i], o.Padding[i]
		if o.Word == PaddingSame {
			total := o.Dilation[i] * (kernel[i] - 1)
			before, after = total/2, total-total/2
		}
		c.pad = append(c.pad, before, after)
	}
}

type convFunc func(x, weight, bias *torch.Tensor, opts ...F.ConvOption) *torch.Tensor

func (c *convolution) run(f convFunc, x, weight, bias *torch.Tensor) *torch.Tensor {
	if c.mode == "" {
		return f(x, weight, bias, c.opts...)
	}
	padded := F.Pad(x, c.pad, F.Mode(c.mode))
	defer func() { _ = padded.Close() }()
	return f(padded, weight, bias, c.opts...)
}

// Conv1d convolves sequences. Follows torch.nn.Conv1d.
type Conv1d struct {
	Base
	Weight *torch.Tensor // (out, in/groups, k)
	Bias   *torch.Tensor // (out), or nil
	c      convolution
}

// NewConv1d makes a convolution from in to out channels. kernelSize is an int.
// It panics with ErrValue for sizes that do not fit and with ErrNil for a nil
// option. Follows torch.nn.Conv1d.
func NewConv1d(in, out int64, kernelSize any, opts ...ConvOption) *Conv1d {
	l := new(Conv1d)
	l.start(l)
	l.c.build(&l.Base, "NewConv1d", in, out, kernelSize, 1, opts, &l.Weight, &l.Bias)
	return l
}

// ResetParameters draws new values for Weight and Bias, as the constructor
// does.
func (l *Conv1d) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// Forward takes x of shape (N, in, L) or (in, L). It panics with ErrShape or
// ErrDType if x does not fit.
func (l *Conv1d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return l.c.run(F.Conv1d, x, l.Weight, l.Bias) })
}

// Conv2d convolves images. Follows torch.nn.Conv2d.
type Conv2d struct {
	Base
	Weight *torch.Tensor // (out, in/groups, kh, kw)
	Bias   *torch.Tensor // (out), or nil
	c      convolution
}

// NewConv2d makes a convolution from in to out channels. kernelSize is an int,
// or a slice of height and width. It panics with ErrValue for sizes that do not
// fit and with ErrNil for a nil option. Follows torch.nn.Conv2d.
func NewConv2d(in, out int64, kernelSize any, opts ...ConvOption) *Conv2d {
	l := new(Conv2d)
	l.start(l)
	l.c.build(&l.Base, "NewConv2d", in, out, kernelSize, 2, opts, &l.Weight, &l.Bias)
	return l
}

// ResetParameters draws new values for Weight and Bias, as the constructor
// does.
func (l *Conv2d) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// Forward takes x of shape (N, in, H, W) or (in, H, W). It panics with ErrShape
// or ErrDType if x does not fit.
func (l *Conv2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return l.c.run(F.Conv2d, x, l.Weight, l.Bias) })
}

// Conv3d convolves volumes. Follows torch.nn.Conv3d.
type Conv3d struct {
	Base
	Weight *torch.Tensor // (out, in/groups, kd, kh, kw)
	Bias   *torch.Tensor // (out), or nil
	c      convolution
}

// NewConv3d makes a convolution from in to out channels. kernelSize is an int,
// or a slice of depth, height and width. It panics with ErrValue for sizes that
// do not fit and with ErrNil for a nil option. Follows torch.nn.Conv3d.
func NewConv3d(in, out int64, kernelSize any, opts ...ConvOption) *Conv3d {
	l := new(Conv3d)
	l.start(l)
	l.c.build(&l.Base, "NewConv3d", in, out, kernelSize, 3, opts, &l.Weight, &l.Bias)
	return l
}

// ResetParameters draws new values for Weight and Bias, as the constructor
// does.
func (l *Conv3d) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// Forward takes x of shape (N, in, D, H, W) or (in, D, H, W). It panics with
// ErrShape or ErrDType if x does not fit.
func (l *Conv3d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return l.c.run(F.Conv3d, x, l.Weight, l.Bias) })
}
