package nn

import (
	"fmt"

	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// MaxPool2d takes the largest value of each window.
type MaxPool2d struct {
	Base
	kernel any
	opts   F.MaxPoolOptions
}

// NewMaxPool2d makes a pooling with windows of kernelSize, an int or a slice
// of height and width, a window apart unless the options say otherwise.
// Follows torch.nn.MaxPool2d.
func NewMaxPool2d(kernelSize any, opts ...F.MaxPoolOptions) *MaxPool2d {
	const op = "NewMaxPool2d"
	o := option(op, opts)
	k := F.Size(op, "kernelSize", kernelSize, 2)
	stride := k
	if o.Stride != nil {
		stride = F.Ints(op, "Stride", o.Stride, 2, 0)
	}
	padding, dilation := F.Ints(op, "Padding", o.Padding, 2, 0), F.Ints(op, "Dilation", o.Dilation, 2, 1)
	l := &MaxPool2d{kernel: k, opts: F.MaxPoolOptions{Stride: stride, Padding: padding, Dilation: dilation, CeilMode: o.CeilMode}}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s",
		number(k), number(stride), number(padding), number(dilation), pyBool(o.CeilMode)))
	return l
}

// number shows equal sizes as one, as PyTorch does if it was given one.
func number(v []int64) string {
	if v[0] == v[1] {
		return fmt.Sprint(v[0])
	}
	return torch.Shape(v).String()
}

// Forward takes x of shape (N, C, H, W) or (C, H, W).
func (l *MaxPool2d) Forward(x *torch.Tensor) *torch.Tensor { return F.MaxPool2d(x, l.kernel, l.opts) }

// AvgPool2d takes the mean of each window.
type AvgPool2d struct {
	Base
	kernel any
	opts   F.AvgPoolOptions
}

// NewAvgPool2d makes a pooling with windows of kernelSize, an int or a slice
// of height and width, a window apart unless the options say otherwise.
// Follows torch.nn.AvgPool2d.
func NewAvgPool2d(kernelSize any, opts ...F.AvgPoolOptions) *AvgPool2d {
	const op = "NewAvgPool2d"
	o := option(op, opts)
	k := F.Size(op, "kernelSize", kernelSize, 2)
	stride := k
	if o.Stride != nil {
		stride = F.Ints(op, "Stride", o.Stride, 2, 0)
	}
	padding := F.Ints(op, "Padding", o.Padding, 2, 0)
	o.Stride, o.Padding = stride, padding
	l := &AvgPool2d{kernel: k, opts: o}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s", number(k), number(stride), number(padding)))
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W).
func (l *AvgPool2d) Forward(x *torch.Tensor) *torch.Tensor { return F.AvgPool2d(x, l.kernel, l.opts) }

// AdaptiveAvgPool2d averages windows to an output of given size.
type AdaptiveAvgPool2d struct {
	Base
	size any
}

// NewAdaptiveAvgPool2d makes a pooling to outputSize, an int or a slice of
// height and width. Follows torch.nn.AdaptiveAvgPool2d.
func NewAdaptiveAvgPool2d(outputSize any) *AdaptiveAvgPool2d {
	size := F.Size("NewAdaptiveAvgPool2d", "outputSize", outputSize, 2)
	l := &AdaptiveAvgPool2d{size: size}
	l.tidy = l
	l.SetExtraRepr("output_size=" + number(size))
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W).
func (l *AdaptiveAvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return F.AdaptiveAvgPool2d(x, l.size)
}
