package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// AvgPoolBase holds the fields common to AvgPool2d and AvgPool3d.
type AvgPoolBase struct {
	PoolBase
	CeilMode, CountIncludePad bool
	DivisorOverride           *int64 // nil stands for the number of elements in a window
}

func (l *AvgPoolBase) build(self Module, op string, n int, kernelSize any, opts []AvgPoolOption) {
	var p poolOptions
	p.start(op, n, kernelSize)
	l.CountIncludePad = true
	for _, o := range opts {
		switch o := o.(type) {
		case CountIncludePad:
			l.CountIncludePad = bool(o)
		case DivisorOverride:
			if o == 0 {
				panic(torch.NewError(op, torch.ErrValue, "DivisorOverride", "expected a number other than 0, got 0"))
			}
			l.DivisorOverride = new(int64(o))
		default:
			p.read(op, o)
		}
	}
	l.CeilMode = p.ceil
	l.setOptions(self, &p)
}

func (l *AvgPoolBase) describe() string { return l.describeWindows(false) }

// options returns the n options for F.AvgPool2d and F.AvgPool3d. The last one is the
// divisor, if there is one.
func (l *AvgPoolBase) options() (list [5]F.AvgPoolOption, n int) {
	list = [5]F.AvgPoolOption{
		F.Strides(l.Stride), F.Paddings(l.Padding), F.CeilMode(l.CeilMode),
		F.CountIncludePad(l.CountIncludePad),
	}
	if l.DivisorOverride == nil {
		return list, 4
	}
	list[4] = F.DivisorOverride(*l.DivisorOverride)
	return list, 5
}

// AvgPool1d takes the mean of each window. Follows torch.nn.AvgPool1d.
type AvgPool1d struct {
	PoolBase
	CeilMode, CountIncludePad bool
}

// NewAvgPool1d makes a pooling layer with windows of size kernelSize, an int. The default
// [Stride] is kernelSize. It panics with ErrType or ErrValue for invalid sizes. Follows
// torch.nn.AvgPool1d.
func NewAvgPool1d(kernelSize any, opts ...AvgPool1dOption) *AvgPool1d {
	const op = "NewAvgPool1d"
	var p poolOptions
	p.start(op, 1, kernelSize)
	l := &AvgPool1d{CountIncludePad: bool(opt.ReadOr(op, opts, p.read, CountIncludePad(true)))}
	l.CeilMode = p.ceil
	l.setOptions(l, &p)
	return l
}

func (l *AvgPool1d) describe() string { return l.describeWindows(true) }

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.AvgPool1d does.
func (l *AvgPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.AvgPool1d(x, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding), F.CeilMode(l.CeilMode),
			F.CountIncludePad(l.CountIncludePad))
	})
}

// AvgPool2d takes the mean of each window. Follows torch.nn.AvgPool2d.
type AvgPool2d struct{ AvgPoolBase }

// NewAvgPool2d makes a pooling layer with windows of size kernelSize, an int or a slice
// of height and width. The default [Stride] is kernelSize. It panics with ErrType or
// ErrValue for invalid sizes. Follows torch.nn.AvgPool2d.
func NewAvgPool2d(kernelSize any, opts ...AvgPoolOption) *AvgPool2d {
	l := new(AvgPool2d)
	l.build(l, "NewAvgPool2d", 2, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.AvgPool2d
// does.
func (l *AvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o, n := l.options()
		return F.AvgPool2d(x, []int64(l.KernelSize), o[:n]...)
	})
}

// AvgPool3d takes the mean of each window. Follows torch.nn.AvgPool3d.
type AvgPool3d struct{ AvgPoolBase }

// NewAvgPool3d makes a pooling layer with windows of size kernelSize, an int or a slice
// of depth, height and width. The default [Stride] is kernelSize. It panics with ErrType
// or ErrValue for invalid sizes. Follows torch.nn.AvgPool3d.
func NewAvgPool3d(kernelSize any, opts ...AvgPoolOption) *AvgPool3d {
	l := new(AvgPool3d)
	l.build(l, "NewAvgPool3d", 3, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.AvgPool3d does.
func (l *AvgPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o, n := l.options()
		return F.AvgPool3d(x, []int64(l.KernelSize), o[:n]...)
	})
}

// LPPoolBase holds the fields common to the power-average pooling layers. You may assign
// to its settings: Forward and String use the new values. Each torch.Shape has one number
// per spatial dimension.
type LPPoolBase struct {
	Base
	NormType   float64
	KernelSize torch.Shape
	Stride     torch.Shape // nil stands for KernelSize
	CeilMode   bool
	lists      listFlags
}

func (l *LPPoolBase) build(self Module, op string, n int, normType float64, kernelSize any, opts []LPPoolOption) {
	var p poolOptions
	p.start(op, n, kernelSize)
	for _, o := range opts {
		p.read(op, o)
	}
	l.NormType, l.KernelSize, l.CeilMode, l.lists = normType, p.kernel, p.ceil, p.lists()
	if p.hasStride {
		l.Stride = p.strides()
	}
	p.finish(self)
}

func (l *LPPoolBase) describe() string {
	stride := "None"
	if l.Stride != nil {
		stride = formatSizes(l.Stride, l.lists.stride)
	}
	return fmt.Sprintf("norm_type=%v, kernel_size=%s, stride=%s, ceil_mode=%s",
		l.NormType, formatSizes(l.KernelSize, l.lists.kernel), stride, tensorfmt.PyBool(l.CeilMode))
}

func (l *LPPoolBase) options() [2]F.LPPoolOption {
	stride := l.Stride
	if stride == nil {
		stride = l.KernelSize
	}
	return [2]F.LPPoolOption{F.Strides(stride), F.CeilMode(l.CeilMode)}
}

// LPPool1d takes the norm of each window. Follows torch.nn.LPPool1d.
type LPPool1d struct{ LPPoolBase }

// NewLPPool1d makes a pooling layer that computes the normType-norm of each window of
// size kernelSize, an int. The default [Stride] is kernelSize. It panics with ErrType or
// ErrValue for invalid sizes. Follows torch.nn.LPPool1d.
func NewLPPool1d(normType float64, kernelSize any, opts ...LPPoolOption) *LPPool1d {
	l := new(LPPool1d)
	l.build(l, "NewLPPool1d", 1, normType, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.LPPool1d does.
func (l *LPPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.LPPool1d(x, l.NormType, []int64(l.KernelSize), o[:]...)
	})
}

// LPPool2d takes the norm of each window. Follows torch.nn.LPPool2d.
type LPPool2d struct{ LPPoolBase }

// NewLPPool2d makes a pooling layer that computes the normType-norm of each window of
// size kernelSize, an int or a slice of height and width. The default [Stride] is
// kernelSize. It panics with ErrType or ErrValue for invalid sizes. Follows
// torch.nn.LPPool2d.
func NewLPPool2d(normType float64, kernelSize any, opts ...LPPoolOption) *LPPool2d {
	l := new(LPPool2d)
	l.build(l, "NewLPPool2d", 2, normType, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.LPPool2d
// does.
func (l *LPPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.LPPool2d(x, l.NormType, []int64(l.KernelSize), o[:]...)
	})
}

// LPPool3d takes the norm of each window. Follows torch.nn.LPPool3d.
type LPPool3d struct{ LPPoolBase }

// NewLPPool3d makes a pooling layer that computes the normType-norm of each window of
// size kernelSize, an int or a slice of depth, height and width. The default [Stride] is
// kernelSize. It panics with ErrType or ErrValue for invalid sizes. Follows
// torch.nn.LPPool3d.
func NewLPPool3d(normType float64, kernelSize any, opts ...LPPoolOption) *LPPool3d {
	l := new(LPPool3d)
	l.build(l, "NewLPPool3d", 3, normType, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.LPPool3d does.
func (l *LPPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.LPPool3d(x, l.NormType, []int64(l.KernelSize), o[:]...)
	})
}
