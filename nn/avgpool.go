package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// avgPool is what the average poolings of planes and volumes share.
type avgPool struct {
	kernel []int64
	opts   []F.AvgPoolOption
}

func (l *avgPool) build(self Module, op string, n int, kernelSize any, opts []AvgPoolOption) {
	var p pooling
	p.start(op, n, kernelSize)
	l.kernel = p.kernel
	for _, o := range opts {
		switch o := o.(type) {
		case CountIncludePad:
			l.opts = append(l.opts, o)
		case DivisorOverride:
			if o == 0 {
				panic(torch.NewError(op, torch.ErrValue, "DivisorOverride", "a sum cannot be divided by 0"))
			}
			l.opts = append(l.opts, o)
		default:
			p.read(op, o)
		}
	}
	l.opts = append(l.opts, F.Strides(p.strides()), F.Paddings(p.paddings()), F.CeilMode(p.ceil))
	p.finish(self, p.windows(false))
}

// AvgPool1d takes the mean of each window. Follows torch.nn.AvgPool1d.
type AvgPool1d struct {
	Base
	kernel []int64
	opts   []F.AvgPool1dOption
}

// NewAvgPool1d makes a pooling with windows of kernelSize, an int. The windows
// do not overlap unless [Stride] says otherwise. It panics with ErrType or
// ErrValue for sizes that do not fit and with ErrNil for a nil option.
// Follows torch.nn.AvgPool1d.
func NewAvgPool1d(kernelSize any, opts ...AvgPool1dOption) *AvgPool1d {
	const op = "NewAvgPool1d"
	var p pooling
	p.start(op, 1, kernelSize)
	l := &AvgPool1d{kernel: p.kernel}
	for _, o := range opts {
		switch o := o.(type) {
		case CountIncludePad:
			l.opts = append(l.opts, o)
		default:
			p.read(op, o)
		}
	}
	l.opts = append(l.opts, F.Strides(p.strides()), F.Paddings(p.paddings()), F.CeilMode(p.ceil))
	p.finish(l, p.windows(true))
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.AvgPool1d does.
func (l *AvgPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AvgPool1d(x, l.kernel, l.opts...) })
}

// AvgPool2d takes the mean of each window. Follows torch.nn.AvgPool2d.
type AvgPool2d struct {
	Base
	p avgPool
}

// NewAvgPool2d makes a pooling with windows of kernelSize, an int or a slice of
// height and width. The windows do not overlap unless [Stride] says otherwise.
// It panics with ErrType or ErrValue for sizes that do not fit and with ErrNil
// for a nil option. Follows torch.nn.AvgPool2d.
func NewAvgPool2d(kernelSize any, opts ...AvgPoolOption) *AvgPool2d {
	l := new(AvgPool2d)
	l.p.build(l, "NewAvgPool2d", 2, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.AvgPool2d
// does.
func (l *AvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AvgPool2d(x, l.p.kernel, l.p.opts...) })
}

// AvgPool3d takes the mean of each window. Follows torch.nn.AvgPool3d.
type AvgPool3d struct {
	Base
	p avgPool
}

// NewAvgPool3d makes a pooling with windows of kernelSize, an int or a slice of
// depth, height and width. The windows do not overlap unless [Stride] says
// otherwise. It panics with ErrType or ErrValue for sizes that do not fit and
// with ErrNil for a nil option. Follows torch.nn.AvgPool3d.
func NewAvgPool3d(kernelSize any, opts ...AvgPoolOption) *AvgPool3d {
	l := new(AvgPool3d)
	l.p.build(l, "NewAvgPool3d", 3, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.AvgPool3d does.
func (l *AvgPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AvgPool3d(x, l.p.kernel, l.p.opts...) })
}

// lpPool is what the power-average poolings share.
type lpPool struct {
	norm   float64
	kernel []int64
	opts   []F.LPPoolOption
}

func (l *lpPool) build(self Module, op string, n int, normType float64, kernelSize any, opts []LPPoolOption) {
	var p pooling
	p.start(op, n, kernelSize)
	for _, o := range opts {
		p.read(op, o)
	}
	l.norm, l.kernel = normType, p.kernel
	l.opts = []F.LPPoolOption{F.Strides(p.strides()), F.CeilMode(p.ceil)}
	stride := "None"
	if p.strided {
		stride = given(p.Stride[:n], p.StrideList)
	}
	p.finish(self, fmt.Sprintf("norm_type=%v, kernel_size=%s, stride=%s, ceil_mode=%s",
		normType, given(p.kernel, p.list), stride, tensorfmt.PyBool(p.ceil)))
}

// LPPool1d takes the norm of each window. Follows torch.nn.LPPool1d.
type LPPool1d struct {
	Base
	p lpPool
}

// NewLPPool1d makes a pooling that takes the normType-norm of windows of
// kernelSize, an int. The windows do not overlap unless [Stride] says otherwise.
// It panics with ErrType or ErrValue for sizes that do not fit and with ErrNil
// for a nil option. Follows torch.nn.LPPool1d.
func NewLPPool1d(normType float64, kernelSize any, opts ...LPPoolOption) *LPPool1d {
	l := new(LPPool1d)
	l.p.build(l, "NewLPPool1d", 1, normType, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.LPPool1d does.
func (l *LPPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.LPPool1d(x, l.p.norm, l.p.kernel, l.p.opts...) })
}

// LPPool2d takes the norm of each window. Follows torch.nn.LPPool2d.
type LPPool2d struct {
	Base
	p lpPool
}

// NewLPPool2d makes a pooling that takes the normType-norm of windows of
// kernelSize, an int or a slice of height and width. The windows do not overlap
// unless [Stride] says otherwise. It panics with ErrType or ErrValue for sizes
// that do not fit and with ErrNil for a nil option. Follows torch.nn.LPPool2d.
func NewLPPool2d(normType float64, kernelSize any, opts ...LPPoolOption) *LPPool2d {
	l := new(LPPool2d)
	l.p.build(l, "NewLPPool2d", 2, normType, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.LPPool2d
// does.
func (l *LPPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.LPPool2d(x, l.p.norm, l.p.kernel, l.p.opts...) })
}

// LPPool3d takes the norm of each window. Follows torch.nn.LPPool3d.
type LPPool3d struct {
	Base
	p lpPool
}

// NewLPPool3d makes a pooling that takes the normType-norm of windows of
// kernelSize, an int or a slice of depth, height and width. The windows do not
// overlap unless [Stride] says otherwise. It panics with ErrType or ErrValue for
// sizes that do not fit and with ErrNil for a nil option. Follows torch.nn.LPPool3d.
func NewLPPool3d(normType float64, kernelSize any, opts ...LPPoolOption) *LPPool3d {
	l := new(LPPool3d)
	l.p.build(l, "NewLPPool3d", 3, normType, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.LPPool3d does.
func (l *LPPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.LPPool3d(x, l.p.norm, l.p.kernel, l.p.opts...) })
}
