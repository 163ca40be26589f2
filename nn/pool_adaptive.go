package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// AdaptivePoolBase holds the fields common to the adaptive pooling layers. You may assign
// to OutputSize: Forward and String use the new value.
type AdaptivePoolBase struct {
	Base
	OutputSize torch.Shape // one number per spatial dimension; [SizeNone] keeps the input's size
	list       bool        // the program gave a slice, not an int
}

func (b *AdaptivePoolBase) buildSized(self Module, op string, n int, outputSize any, opts []InitOption) {
	b.OutputSize, b.list = opt.ReadSize(op, "outputSize", outputSize, n), opt.IsList(outputSize)
	b.buildPlain(self, opts)
}

func (b *AdaptivePoolBase) describe() string {
	return "output_size=" + formatSizes(b.OutputSize, b.list)
}

// AdaptiveAvgPool1d averages windows chosen to give an output of a fixed size.
// Follows torch.nn.AdaptiveAvgPool1d.
type AdaptiveAvgPool1d struct{ AdaptivePoolBase }

// NewAdaptiveAvgPool1d makes a pooling layer whose output has size outputSize, an int;
// [SizeNone] keeps the size of the input. It panics with ErrType or ErrValue for anything
// else. Follows torch.nn.AdaptiveAvgPool1d.
func NewAdaptiveAvgPool1d(outputSize any, opts ...InitOption) *AdaptiveAvgPool1d {
	l := new(AdaptiveAvgPool1d)
	l.buildSized(l, "NewAdaptiveAvgPool1d", 1, outputSize, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.AdaptiveAvgPool1d
// does.
func (l *AdaptiveAvgPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveAvgPool1d(x, []int64(l.OutputSize)) })
}

// AdaptiveAvgPool2d averages windows chosen to give an output of a fixed size.
// Follows torch.nn.AdaptiveAvgPool2d.
type AdaptiveAvgPool2d struct{ AdaptivePoolBase }

// NewAdaptiveAvgPool2d makes a pooling layer whose output has size outputSize, an int or
// a slice of height and width; [SizeNone] keeps the size of the input. It panics with
// ErrType or ErrValue for anything else. Follows torch.nn.AdaptiveAvgPool2d.
func NewAdaptiveAvgPool2d(outputSize any, opts ...InitOption) *AdaptiveAvgPool2d {
	l := new(AdaptiveAvgPool2d)
	l.buildSized(l, "NewAdaptiveAvgPool2d", 2, outputSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as
// F.AdaptiveAvgPool2d does.
func (l *AdaptiveAvgPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveAvgPool2d(x, []int64(l.OutputSize)) })
}

// AdaptiveAvgPool3d averages windows chosen to give an output of a fixed size.
// Follows torch.nn.AdaptiveAvgPool3d.
type AdaptiveAvgPool3d struct{ AdaptivePoolBase }

// NewAdaptiveAvgPool3d makes a pooling layer whose output has size outputSize, an int or
// a slice of depth, height and width; [SizeNone] keeps the size of the input. It panics
// with ErrType or ErrValue for anything else. Follows torch.nn.AdaptiveAvgPool3d.
func NewAdaptiveAvgPool3d(outputSize any, opts ...InitOption) *AdaptiveAvgPool3d {
	l := new(AdaptiveAvgPool3d)
	l.buildSized(l, "NewAdaptiveAvgPool3d", 3, outputSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.AdaptiveAvgPool3d does.
func (l *AdaptiveAvgPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveAvgPool3d(x, []int64(l.OutputSize)) })
}

// AdaptiveMaxPool1d takes the largest value of windows chosen to give an output of a
// fixed size. Follows torch.nn.AdaptiveMaxPool1d.
type AdaptiveMaxPool1d struct{ AdaptivePoolBase }

// NewAdaptiveMaxPool1d makes a pooling layer whose output has size outputSize, an int;
// [SizeNone] keeps the size of the input. It panics with ErrType or ErrValue for anything
// else. Follows torch.nn.AdaptiveMaxPool1d.
func NewAdaptiveMaxPool1d(outputSize any, opts ...InitOption) *AdaptiveMaxPool1d {
	l := new(AdaptiveMaxPool1d)
	l.buildSized(l, "NewAdaptiveMaxPool1d", 1, outputSize, opts)
	return l
}

// Forward takes x of shape (N, C, L) or (C, L). It panics as F.AdaptiveMaxPool1d
// does.
func (l *AdaptiveMaxPool1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveMaxPool1d(x, []int64(l.OutputSize)) })
}

// ForwardWithIndices also returns the index of each value, as
// F.AdaptiveMaxPool1dWithIndices does. Follows return_indices=True.
func (l *AdaptiveMaxPool1d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		return F.AdaptiveMaxPool1dWithIndices(x, []int64(l.OutputSize))
	})
}

// AdaptiveMaxPool2d takes the largest value of windows chosen to give an output of a
// fixed size. Follows torch.nn.AdaptiveMaxPool2d.
type AdaptiveMaxPool2d struct{ AdaptivePoolBase }

// NewAdaptiveMaxPool2d makes a pooling layer whose output has size outputSize, an int or
// a slice of height and width; [SizeNone] keeps the size of the input. It panics with
// ErrType or ErrValue for anything else. Follows torch.nn.AdaptiveMaxPool2d.
func NewAdaptiveMaxPool2d(outputSize any, opts ...InitOption) *AdaptiveMaxPool2d {
	l := new(AdaptiveMaxPool2d)
	l.buildSized(l, "NewAdaptiveMaxPool2d", 2, outputSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as
// F.AdaptiveMaxPool2d does.
func (l *AdaptiveMaxPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveMaxPool2d(x, []int64(l.OutputSize)) })
}

// ForwardWithIndices also returns the index of each value, as
// F.AdaptiveMaxPool2dWithIndices does. Follows return_indices=True.
func (l *AdaptiveMaxPool2d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		return F.AdaptiveMaxPool2dWithIndices(x, []int64(l.OutputSize))
	})
}

// AdaptiveMaxPool3d takes the largest value of windows chosen to give an output of a
// fixed size. Follows torch.nn.AdaptiveMaxPool3d.
type AdaptiveMaxPool3d struct{ AdaptivePoolBase }

// NewAdaptiveMaxPool3d makes a pooling layer whose output has size outputSize, an int or
// a slice of depth, height and width; [SizeNone] keeps the size of the input. It panics
// with ErrType or ErrValue for anything else. Follows torch.nn.AdaptiveMaxPool3d.
func NewAdaptiveMaxPool3d(outputSize any, opts ...InitOption) *AdaptiveMaxPool3d {
	l := new(AdaptiveMaxPool3d)
	l.buildSized(l, "NewAdaptiveMaxPool3d", 3, outputSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.AdaptiveMaxPool3d does.
func (l *AdaptiveMaxPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return F.AdaptiveMaxPool3d(x, []int64(l.OutputSize)) })
}

// ForwardWithIndices also returns the index of each value, as
// F.AdaptiveMaxPool3dWithIndices does. Follows return_indices=True.
func (l *AdaptiveMaxPool3d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		return F.AdaptiveMaxPool3dWithIndices(x, []int64(l.OutputSize))
	})
}
