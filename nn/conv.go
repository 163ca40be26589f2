package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// ConvOptions are the rarer arguments of the convolutional layers. Stride,
// Padding and Dilation are an int for all directions or a slice with one for
// each, such as []int64{1, 2}.
type ConvOptions struct {
	Stride      any    // nil: 1
	Padding     any    // nil: 0; "same" or "valid" as in PyTorch
	Dilation    any    // nil: 1
	Groups      int64  // 0: 1
	PaddingMode string // "": "zeros"; "reflect", "replicate" or "circular"
	NoBias      bool
	Device      torch.Device
	DType       torch.DType
}

// conv is what the convolutions of all dimensions share.
type conv struct {
	Base
	Weight *torch.Tensor // (out, in/groups, *kernel)
	Bias   *torch.Tensor // (out), or nil
	opts   []F.ConvOption
	pad    []int64 // with a padding mode other than zeros
	mode   string
}

func (c *conv) init(op string, in, out int64, kernel any, n int, opts []ConvOptions) {
	o := option(op, opts)
	k := opt.ReadSize(op, "kernelSize", kernel, n)
	groups := max(o.Groups, 1)
	checkSizes(op, in, out)
	if o.Groups < 0 || in%groups != 0 || out%groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "Groups", fmt.Sprintf("%d must divide %d input and %d output channels", o.Groups, in, out)))
	}
	stride, dilation := ints(op, "Stride", o.Stride, n, 1), ints(op, "Dilation", o.Dilation, n, 1)
	padding := o.Padding
	if s, ok := padding.(string); ok {
		if s != "same" && s != "valid" {
			panic(torch.NewError(op, torch.ErrValue, "Padding", fmt.Sprintf(`expected numbers, "same" or "valid", got %q`, s)))
		}
		if s == "same" && slices.ContainsFunc(stride, func(n int64) bool { return n != 1 }) {
			panic(torch.NewError(op, torch.ErrValue, "Padding", `"same" needs a stride of 1`))
		}
	} else {
		padding = ints(op, "Padding", o.Padding, n, 0)
	}
	c.opts = []F.ConvOption{F.Strides(stride), F.Dilations(dilation), F.Groups(groups)}
	c.setPaddingMode(op, o.PaddingMode, padding, k, dilation)

	c.Weight = parameter(append(torch.Shape{out, in / groups}, k...), o.DType, o.Device)
	if !o.NoBias {
		c.Bias = parameter(torch.Shape{out}, o.DType, o.Device)
	}
	c.RegisterParameter("weight", c.Weight).RegisterParameter("bias", c.Bias)
	c.ResetParameters()

	var s strings.Builder
	fmt.Fprintf(&s, "%d, %d, kernel_size=%v, stride=%v", in, out, torch.Shape(k), torch.Shape(stride))
	if p, ok := padding.([]int64); !ok {
		fmt.Fprintf(&s, ", padding=%v", padding)
	} else if slices.Max(p) != 0 {
		fmt.Fprintf(&s, ", padding=%v", torch.Shape(p))
	}
	if slices.Max(dilation) != 1 {
		fmt.Fprintf(&s, ", dilation=%v", torch.Shape(dilation))
	}
	if groups != 1 {
		fmt.Fprintf(&s, ", groups=%d", groups)
	}
	if o.NoBias {
		s.WriteString(", bias=False")
	}
	if c.mode != "" {
		s.WriteString(", padding_mode=" + c.mode)
	}
	c.SetExtraRepr(s.String())
}

// setPaddingMode prepares an explicit padding, which the convolution itself
// can only do with zeros.
func (c *conv) setPaddingMode(op, mode string, padding any, kernel, dilation []int64) {
	switch mode {
	case "", "zeros":
		switch p := padding.(type) {
		case []int64:
			c.opts = append(c.opts, F.Paddings(p))
		case string:
			c.opts = append(c.opts, F.PaddingWord(p))
		}
		return
	case "reflect", "replicate", "circular":
	default:
		panic(torch.NewError(op, torch.ErrValue, "PaddingMode", fmt.Sprintf("no padding mode %q", mode)))
	}
	c.mode = mode
	for i := len(kernel) - 1; i >= 0; i-- { // Pad starts at the last dimension
		var before, after int64
		switch p := padding.(type) {
		case []int64:
			before, after = p[i], p[i]
		case string:
			if p == "same" {
				total := dilation[i] * (kernel[i] - 1)
				before, after = total/2, total-total/2
			}
		}
		c.pad = append(c.pad, before, after)
	}
}

// ResetParameters draws Weight and Bias anew, as the constructor does.
func (c *conv) ResetParameters() { resetWeightAndBias(c.Weight, c.Bias) }

// ints reads numbers for n directions, def for each if there are none.
func ints(op, arg string, v any, n int, def int64) []int64 {
	if v == nil {
		v = def
	}
	return opt.ReadSize(op, arg, v, n)
}

type convFunc func(x, weight, bias *torch.Tensor, opts ...F.ConvOption) *torch.Tensor

func (c *conv) forward(f convFunc, x *torch.Tensor) *torch.Tensor {
	if c.mode == "" {
		return f(x, c.Weight, c.Bias, c.opts...)
	}
	padded := F.Pad(x, c.pad, F.Mode(c.mode))
	defer func() { _ = padded.Close() }()
	return f(padded, c.Weight, c.Bias, c.opts...)
}

// Conv1d convolves sequences.
type Conv1d struct{ conv }

// NewConv1d makes a convolution of in to out channels; kernelSize is an int.
// It panics with ErrValue for sizes that do not fit. Follows torch.nn.Conv1d.
func NewConv1d(in, out int64, kernelSize any, opts ...ConvOptions) *Conv1d {
	c := new(Conv1d)
	c.tidy = c
	c.init("NewConv1d", in, out, kernelSize, 1, opts)
	return c
}

// Forward takes x of shape (N, in, L) or (in, L).
func (c *Conv1d) Forward(x *torch.Tensor) *torch.Tensor { return c.forward(F.Conv1d, x) }

// Conv2d convolves images.
type Conv2d struct{ conv }

// NewConv2d makes a convolution of in to out channels; kernelSize is an int or
// a slice of height and width. It panics with ErrValue for sizes that do not
// fit. Follows torch.nn.Conv2d.
func NewConv2d(in, out int64, kernelSize any, opts ...ConvOptions) *Conv2d {
	c := new(Conv2d)
	c.tidy = c
	c.init("NewConv2d", in, out, kernelSize, 2, opts)
	return c
}

// Forward takes x of shape (N, in, H, W) or (in, H, W).
func (c *Conv2d) Forward(x *torch.Tensor) *torch.Tensor { return c.forward(F.Conv2d, x) }

// Conv3d convolves volumes.
type Conv3d struct{ conv }

// NewConv3d makes a convolution of in to out channels; kernelSize is an int or
// a slice of depth, height and width. It panics with ErrValue for sizes that
// do not fit. Follows torch.nn.Conv3d.
func NewConv3d(in, out int64, kernelSize any, opts ...ConvOptions) *Conv3d {
	c := new(Conv3d)
	c.tidy = c
	c.init("NewConv3d", in, out, kernelSize, 3, opts)
	return c
}

// Forward takes x of shape (N, in, D, H, W) or (in, D, H, W).
func (c *Conv3d) Forward(x *torch.Tensor) *torch.Tensor { return c.forward(F.Conv3d, x) }
