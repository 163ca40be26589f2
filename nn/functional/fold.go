package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A FoldOption is [Dilation], [Dilations], [Padding], [Paddings], [Stride] or
// [Strides]. The default stride is 1.
type FoldOption interface{ opt.FoldFunc }

// foldArgs holds the parsed kernel size and FoldOptions.
type foldArgs struct {
	opt.Window
	kernel opt.Dims
}

func (a *foldArgs) read(op string, kernelSize any, opts []FoldOption) {
	a.kernel.Read(op, "kernelSize", 2, kernelSize)
	a.Stride.Set(2, 1)
	a.Dilation.Set(2, 1)
	for _, o := range opts {
		if !a.Window.Take(op, 2, o) {
			panic(opt.Unknown(op, o))
		}
	}
	least := func(arg string, list []int64, least int64) {
		for _, v := range list {
			if v < least || v > maxPad {
				panic(torch.NewError(op, torch.ErrValue, arg,
					fmt.Sprintf("expected a number from %d to %d, got %d", least, int64(maxPad), v)))
			}
		}
	}
	least("kernelSize", a.kernel[:2], 1)
	least("Stride", a.Stride[:2], 1)
	least("Dilation", a.Dilation[:2], 1)
	least("Padding", a.Padding[:2], 0)
}

// Unfold returns the windows of input, of shape (N, C, H, W) or (C, H, W), as
// columns. The result has shape (N, C*kh*kw, L) or (C*kh*kw, L), where L is the
// number of windows. kernelSize is an int or a slice of two. It panics with ErrShape
// if no window fits, with ErrType for a kernel size that is not a number and with
// ErrValue for options out of range. Follows torch.nn.functional.unfold.
func Unfold(input *torch.Tensor, kernelSize any, opts ...FoldOption) *torch.Tensor {
	const op = "Unfold(input)"
	var a foldArgs
	a.read(op, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Im2col(r.Ctx, h, a.kernel[:2], a.Dilation[:2], a.Padding[:2], a.Stride[:2]))
}

// Fold reverses [Unfold]: it turns each column of input, of shape (N, C*kh*kw, L) or
// (C*kh*kw, L), back into a window, and adds up windows where they overlap. The result
// has shape (N, C, H, W) or (C, H, W). outputSize (H and W) and kernelSize are each an
// int or a slice of two. It panics with ErrShape for an input of any other shape, with
// ErrType for sizes that are not numbers and with ErrValue for options out of range.
// Follows torch.nn.functional.fold.
func Fold(input *torch.Tensor, outputSize, kernelSize any, opts ...FoldOption) *torch.Tensor {
	const op = "Fold(input)"
	var a foldArgs
	var size opt.Dims
	size.Read(op, "outputSize", 2, outputSize)
	a.read(op, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.Col2im(r.Ctx, h, size[:2], a.kernel[:2], a.Dilation[:2], a.Padding[:2], a.Stride[:2]))
}
