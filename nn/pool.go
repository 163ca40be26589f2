package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// MaxPool2d takes the largest value of each window. Follows torch.nn.MaxPool2d.
type MaxPool2d struct {
	Base
	kernel []int64
	opts   []F.MaxPoolOption
}

// NewMaxPool2d makes a pooling with windows of kernelSize, an int or a slice of
// height and width. The windows do not overlap unless [Stride] says otherwise.
// It panics with ErrType or ErrValue for sizes that do not fit and with ErrNil
// for a nil option. Follows torch.nn.MaxPool2d.
func NewMaxPool2d(kernelSize any, opts ...MaxPoolOption) *MaxPool2d {
	const op = "NewMaxPool2d"
	k := opt.ReadSize(op, "kernelSize", kernelSize, 2)
	var w opt.Window
	copy(w.Stride[:], k)
	w.Dilation.Set(2, 1)
	ceil := false
	var as Registration
	for _, o := range opts {
		switch o := o.(type) {
		case CeilMode:
			ceil = bool(o)
		case Registration:
			as = o
		default:
			if !w.Take(op, 2, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	l := &MaxPool2d{kernel: slices.Clone(k)}
	l.opts = []F.MaxPoolOption{
		F.Strides(slices.Clone(w.Stride[:2])), F.Paddings(slices.Clone(w.Padding[:2])), F.Dilations(slices.Clone(w.Dilation[:2])), F.CeilMode(ceil),
	}
	l.start(l)
	l.extraf("kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s",
		number(k), number(w.Stride[:2]), number(w.Padding[:2]), number(w.Dilation[:2]), tensorfmt.PyBool(ceil))
	as.register(l)
	return l
}

// number shows equal sizes as one, as PyTorch does if it was given one.
func number(v []int64) string {
	if v[0] == v[1] {
		return fmt.Sprint(v[0])
	}
	return torch.Shape(v).String()
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.MaxPool2d does.
func (l *MaxPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.MaxPool2d(x, l.kernel, l.opts...) })
}

// AvgPool2d takes the mean of each window. Follows torch.nn.AvgPool2d.
type AvgPool2d struct {
	Base
	kernel []int64
	opts   []F.AvgPoolOption
}

// NewAvgPool2d makes a pooling with windows of kernelSize, an int or a slice of
// height and width. The windows do not overlap unless [Stride] says otherwise.
// It panics with ErrType or ErrValue for sizes that do not fit and with ErrNil
// for a nil option. Follows torch.nn.AvgPool2d.
func NewAvgPool2d(kernelSize any, opts ...AvgPoolOption) *AvgPool2d {
	const op = "NewAvgPool2d"
	k := opt.ReadSize(op, "kernelSize", kernelSize, 2)
	var w opt.Window
	copy(w.Stride[:], k)
	l := &AvgPool2d{kernel: slices.Clone(k)}
	var as Registration
	for _, o := range opts {
		switch o := o.(type) {
		case CeilMode:
			l.opts = append(l.opts, o)
		case CountIncludePad:
			l.opts = append(l.opts, o)
		case DivisorOverride:
			if o == 0 {
				panic(torch.NewError(op, torch.ErrValue, "DivisorOverride", "a sum cannot be divided by 0"))
			}
			l.opts = append(l.opts, o)
		case Registration:
			as = o
		default:
			if !w.Take(op, 2, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	l.opts = append(l.opts, F.Strides(slices.Clone(w.Stride[:2])), F.Paddings(slices.Clone(w.Padding[:2])))
	l.start(l)
	l.extraf("kernel_size=%s, stride=%s, padding=%s", number(k), number(w.Stride[:2]), number(w.Padding[:2]))
	as.register(l)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.AvgPool2d does.
func (l *AvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AvgPool2d(x, l.kernel, l.opts...) })
}

// AdaptiveAvgPool2d averages windows so that the output has a given size.
// Follows torch.nn.AdaptiveAvgPool2d.
type AdaptiveAvgPool2d struct {
	Base
	size []int64
}

// NewAdaptiveAvgPool2d makes a pooling to outputSize, an int or a slice of
// height and width. It panics with ErrType or ErrValue for anything else.
// Follows torch.nn.AdaptiveAvgPool2d.
func NewAdaptiveAvgPool2d(outputSize any, opts ...InitOption) *AdaptiveAvgPool2d {
	l := &AdaptiveAvgPool2d{size: slices.Clone(opt.ReadSize("NewAdaptiveAvgPool2d", "outputSize", outputSize, 2))}
	l.SetExtraRepr("output_size=" + number(l.size))
	l.build(l, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as
// F.AdaptiveAvgPool2d does.
func (l *AdaptiveAvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveAvgPool2d(x, l.size) })
}
