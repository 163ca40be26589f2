package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// FoldBase holds the fields common to [Fold] and [Unfold]. You may assign to its
// settings: Forward and String use the new values. Each torch.Shape has one number for
// each of the two dimensions.
type FoldBase struct {
	Base
	KernelSize, Dilation, Padding, Stride torch.Shape
	lists                                 listFlags
}

func (l *FoldBase) describeWindows(self Module, op string, kernelSize any, opts []FoldOption) {
	var p poolOptions
	p.start(op, 2, kernelSize)
	p.Stride.Set(2, 1)
	p.StrideList = false
	for _, o := range opts {
		p.read(op, o)
	}
	l.KernelSize, l.Dilation, l.Padding, l.Stride, l.lists = p.kernel, p.dilations(), p.paddings(), p.strides(),
		p.lists()
	p.finish(self)
}

func (l *FoldBase) describe() string {
	return fmt.Sprintf("kernel_size=%s, dilation=%s, padding=%s, stride=%s", formatSizes(l.KernelSize, l.lists.kernel),
		formatSizes(l.Dilation, l.lists.dilation), formatSizes(l.Padding, l.lists.padding),
		formatSizes(l.Stride, l.lists.stride))
}

// options returns the options for F.Fold and F.Unfold.
func (l *FoldBase) options() [3]F.FoldOption {
	return [3]F.FoldOption{F.Dilations(l.Dilation), F.Paddings(l.Padding), F.Strides(l.Stride)}
}

// Unfold extracts the windows of images as columns. Follows torch.nn.Unfold.
type Unfold struct{ FoldBase }

// NewUnfold makes an Unfold with windows of size kernelSize, an int or a slice of height
// and width. It panics with ErrType or ErrValue for invalid sizes. Follows
// torch.nn.Unfold.
func NewUnfold(kernelSize any, opts ...FoldOption) *Unfold {
	l := new(Unfold)
	l.describeWindows(l, "NewUnfold", kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W), and returns (N, C*kh*kw,
// L) or (C*kh*kw, L). It panics as F.Unfold does.
func (l *Unfold) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.Unfold(x, []int64(l.KernelSize), o[:]...)
	})
}

// Fold adds up columns into images. It is the counterpart of Unfold.
// Follows torch.nn.Fold.
type Fold struct {
	FoldBase
	OutputSize torch.Shape
	// Whether the program gave the output size as a slice; otherwise it was an int.
	// String shows the form that was given.
	list bool
}

// NewFold makes a Fold that combines windows of size kernelSize into images of size
// outputSize. Each size is an int or a slice of height and width. It panics with ErrType
// or ErrValue for invalid sizes. Follows torch.nn.Fold.
func NewFold(outputSize, kernelSize any, opts ...FoldOption) *Fold {
	const op = "NewFold"
	l := &Fold{OutputSize: opt.ReadSize(op, "outputSize", outputSize, 2), list: opt.IsList(outputSize)}
	l.describeWindows(l, op, kernelSize, opts)
	return l
}

func (l *Fold) describe() string {
	return "output_size=" + formatSizes(l.OutputSize, l.list) + ", " + l.FoldBase.describe()
}

// Forward takes x of shape (N, C*kh*kw, L) or (C*kh*kw, L), and returns (N, C,
// H, W) or (C, H, W). It panics as F.Fold does.
func (l *Fold) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		o := l.options()
		return F.Fold(x, []int64(l.OutputSize), []int64(l.KernelSize), o[:]...)
	})
}
