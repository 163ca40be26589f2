package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// MaxPool2d takes the largest value of each window.
type MaxPool2d struct {
	Base
	kernel any
	opts   []F.MaxPoolOption
}

// NewMaxPool2d makes a pooling with windows of kernelSize, an int or a slice
// of height and width, a window apart unless the options say otherwise.
// Follows torch.nn.MaxPool2d.
func NewMaxPool2d(kernelSize any, opts ...F.MaxPoolOption) *MaxPool2d {
	const op = "NewMaxPool2d"
	k := opt.ReadSize(op, "kernelSize", kernelSize, 2)
	w := window{stride: opt.Dims{k[0], k[1]}, dilation: opt.Dims{1, 1}}
	for _, o := range opts {
		w.read(op, o)
	}
	l := &MaxPool2d{kernel: k, opts: slices.Clone(opts)}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s",
		number(k), number(w.stride[:2]), number(w.padding[:2]), number(w.dilation[:2]), pyBool(w.ceil)))
	return l
}

// window is what the printed form of a pooling shows.
type window struct {
	stride, padding, dilation opt.Dims
	ceil                      bool
}

func (w *window) read(op string, o any) {
	switch o := o.(type) {
	case F.Stride:
		w.stride.Set(2, int64(o))
	case F.Strides:
		w.stride.SetAll(op, "Strides", 2, o)
	case F.Padding:
		w.padding.Set(2, int64(o))
	case F.Paddings:
		w.padding.SetAll(op, "Paddings", 2, o)
	case F.Dilation:
		w.dilation.Set(2, int64(o))
	case F.Dilations:
		w.dilation.SetAll(op, "Dilations", 2, o)
	case F.CeilMode:
		w.ceil = bool(o)
	}
}

// number shows equal sizes as one, as PyTorch does if it was given one.
func number(v []int64) string {
	if v[0] == v[1] {
		return fmt.Sprint(v[0])
	}
	return torch.Shape(v).String()
}

// Forward takes x of shape (N, C, H, W) or (C, H, W).
func (l *MaxPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return F.MaxPool2d(x, l.kernel, l.opts...)
}

// AvgPool2d takes the mean of each window.
type AvgPool2d struct {
	Base
	kernel any
	opts   []F.AvgPoolOption
}

// NewAvgPool2d makes a pooling with windows of kernelSize, an int or a slice
// of height and width, a window apart unless the options say otherwise.
// Follows torch.nn.AvgPool2d.
func NewAvgPool2d(kernelSize any, opts ...F.AvgPoolOption) *AvgPool2d {
	const op = "NewAvgPool2d"
	k := opt.ReadSize(op, "kernelSize", kernelSize, 2)
	w := window{stride: opt.Dims{k[0], k[1]}}
	for _, o := range opts {
		w.read(op, o)
	}
	l := &AvgPool2d{kernel: k, opts: slices.Clone(opts)}
	l.tidy = l
	l.SetExtraRepr(fmt.Sprintf("kernel_size=%s, stride=%s, padding=%s", number(k), number(w.stride[:2]), number(w.padding[:2])))
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W).
func (l *AvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return F.AvgPool2d(x, l.kernel, l.opts...)
}

// AdaptiveAvgPool2d averages windows to an output of given size.
type AdaptiveAvgPool2d struct {
	Base
	size any
}

// NewAdaptiveAvgPool2d makes a pooling to outputSize, an int or a slice of
// height and width. Follows torch.nn.AdaptiveAvgPool2d.
func NewAdaptiveAvgPool2d(outputSize any) *AdaptiveAvgPool2d {
	size := opt.ReadSize("NewAdaptiveAvgPool2d", "outputSize", outputSize, 2)
	l := &AdaptiveAvgPool2d{size: size}
	l.tidy = l
	l.SetExtraRepr("output_size=" + number(size))
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W).
func (l *AdaptiveAvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return F.AdaptiveAvgPool2d(x, l.size)
}
