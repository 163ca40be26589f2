package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// MaxPoolBase holds the fields common to the max pooling layers.
type MaxPoolBase struct {
	PoolBase
	Dilation torch.Shape
	CeilMode bool
}

func (l *MaxPoolBase) build(self Module, op string, n int, kernelSize any, opts []MaxPoolOption) {
	var p poolOptions
	p.start(op, n, kernelSize)
	for _, o := range opts {
		p.read(op, o)
	}
	l.Dilation, l.CeilMode = p.dilations(), p.ceil
	l.setOptions(self, &p)
}

func (l *MaxPoolBase) describe() string {
	return fmt.Sprintf("%s, dilation=%s, ceil_mode=%s", l.describeWindows(false),
		formatSizes(l.Dilation, l.lists.dilation),
		tensorfmt.PyBool(l.CeilMode))
}

func (l *MaxPoolBase) options() [4]F.MaxPoolOption {
	return [4]F.MaxPoolOption{
		F.Strides(l.Stride), F.Paddings(l.Padding), F.Dilations(l.Dilation),
		F.CeilMode(l.CeilMode),
	}
}

// MaxPool1d takes the largest value of each window. Follows torch.nn.MaxPool1d.
type MaxPool1d struct{ MaxPoolBase }

// NewMaxPool1d makes a pooling layer with windows of size kernelSize, an int. The default
// [Stride] is kernelSize. It panics with ErrType or ErrValue for invalid sizes. Follows
// torch.nn.MaxPool1d.
func NewMaxPool1d(kernelSize any, opts ...MaxPoolOption) *MaxPool1d {
	l := new(MaxPool1d)
	l.build(l, "NewMaxPool1d", 1, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.MaxPool1d does.
func (l *MaxPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.MaxPool1d(x, []int64(l.KernelSize), o[:]...)
	})
}

// ForwardWithIndices also returns the index of each value, which [MaxUnpool1d] needs,
// as F.MaxPool1dWithIndices does. Follows return_indices=True.
func (l *MaxPool1d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		o := l.options()
		return F.MaxPool1dWithIndices(x, []int64(l.KernelSize), o[:]...)
	})
}

// MaxPool2d takes the largest value of each window. Follows torch.nn.MaxPool2d.
type MaxPool2d struct{ MaxPoolBase }

// NewMaxPool2d makes a pooling layer with windows of size kernelSize, an int or a slice
// of height and width. The default [Stride] is kernelSize. It panics with ErrType or
// ErrValue for invalid sizes. Follows torch.nn.MaxPool2d.
func NewMaxPool2d(kernelSize any, opts ...MaxPoolOption) *MaxPool2d {
	l := new(MaxPool2d)
	l.build(l, "NewMaxPool2d", 2, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as F.MaxPool2d
// does.
func (l *MaxPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.MaxPool2d(x, []int64(l.KernelSize), o[:]...)
	})
}

// ForwardWithIndices also returns the index of each value, which [MaxUnpool2d] needs,
// as F.MaxPool2dWithIndices does. Follows return_indices=True.
func (l *MaxPool2d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		o := l.options()
		return F.MaxPool2dWithIndices(x, []int64(l.KernelSize), o[:]...)
	})
}

// MaxPool3d takes the largest value of each window. Follows torch.nn.MaxPool3d.
type MaxPool3d struct{ MaxPoolBase }

// NewMaxPool3d makes a pooling layer with windows of size kernelSize, an int or a slice
// of depth, height and width. The default [Stride] is kernelSize. It panics with ErrType
// or ErrValue for invalid sizes. Follows torch.nn.MaxPool3d.
func NewMaxPool3d(kernelSize any, opts ...MaxPoolOption) *MaxPool3d {
	l := new(MaxPool3d)
	l.build(l, "NewMaxPool3d", 3, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.MaxPool3d does.
func (l *MaxPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.MaxPool3d(x, []int64(l.KernelSize), o[:]...)
	})
}

// ForwardWithIndices also returns the index of each value, which [MaxUnpool3d] needs,
// as F.MaxPool3dWithIndices does. Follows return_indices=True.
func (l *MaxPool3d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		o := l.options()
		return F.MaxPool3dWithIndices(x, []int64(l.KernelSize), o[:]...)
	})
}
