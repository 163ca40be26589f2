package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// folding is what Fold and Unfold share.
type folding struct {
	kernel []int64
	opts   []F.FoldOption
}

// build reads the options; before is what prints before the kernel size.
func (l *folding) build(self Module, op string, kernelSize any, opts []FoldOption, before string) {
	var p pooling
	p.start(op, 2, kernelSize)
	p.Stride.Set(2, 1)
	p.StrideList = false
	for _, o := range opts {
		p.read(op, o)
	}
	l.kernel = p.kernel
	l.opts = []F.FoldOption{F.Dilations(p.dilations()), F.Paddings(p.paddings()), F.Strides(p.strides())}
	p.finish(self, fmt.Sprintf("%skernel_size=%s, dilation=%s, padding=%s, stride=%s", before, given(p.kernel, p.list),
		given(p.Dilation[:2], p.DilationList), given(p.Padding[:2], p.PaddingList), given(p.Stride[:2], p.StrideList)))
}

// Unfold takes the windows of images as columns. Follows torch.nn.Unfold.
type Unfold struct {
	Base
	f folding
}

// NewUnfold makes an Unfold with windows of kernelSize, an int or a slice of
// height and width. It panics with ErrType or ErrValue for sizes that do not fit
// and with ErrNil for a nil option. Follows torch.nn.Unfold.
func NewUnfold(kernelSize any, opts ...FoldOption) *Unfold {
	l := new(Unfold)
	l.f.build(l, "NewUnfold", kernelSize, opts, "")
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W), and returns (N, C*kh*kw,
// L) or (C*kh*kw, L). It panics as F.Unfold does.
func (l *Unfold) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Unfold(x, l.f.kernel, l.f.opts...) })
}

// Fold adds columns up to images, the reverse of Unfold. Follows torch.nn.Fold.
type Fold struct {
	Base
	f    folding
	size []int64
}

// NewFold makes a Fold to images of outputSize, an int or a slice of height and
// width, with windows of kernelSize, which is one too. It panics with ErrType or
// ErrValue for sizes that do not fit and with ErrNil for a nil option.
// Follows torch.nn.Fold.
func NewFold(outputSize, kernelSize any, opts ...FoldOption) *Fold {
	const op = "NewFold"
	l := &Fold{size: opt.ReadSize(op, "outputSize", outputSize, 2)}
	l.f.build(l, op, kernelSize, opts, "output_size="+given(l.size, opt.IsList(outputSize))+", ")
	return l
}

// Forward takes x of shape (N, C*kh*kw, L) or (C*kh*kw, L), and returns (N, C,
// H, W) or (C, H, W). It panics as F.Fold does.
func (l *Fold) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor { return F.Fold(x, l.size, l.f.kernel, l.f.opts...) })
}
