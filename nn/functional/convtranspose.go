package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A ConvTransposeOption is an option of a transposed convolution: [Stride], [Strides],
// [Padding], [Paddings], [OutputPadding], [OutputPaddings], [Groups], [Dilation] or
// [Dilations].
type ConvTransposeOption interface{ opt.ConvTransposeFunc }

// convTransposeArgs holds parsed ConvTransposeOptions.
type convTransposeArgs struct {
	opt.Window
	extra  opt.Dims
	groups int64
}

func (a *convTransposeArgs) read(op string, n int, opts []ConvTransposeOption) {
	a.Stride.Set(n, 1)
	a.Dilation.Set(n, 1)
	a.groups = 1
	for _, o := range opts {
		switch o := o.(type) {
		case OutputPadding:
			a.extra.Set(n, int64(o))
		case OutputPaddings:
			a.extra.SetAll(op, "OutputPaddings", n, o)
		case Groups:
			a.groups = int64(o)
		default:
			if !a.Window.Take(op, n, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	for i, extra := range a.extra[:n] {
		if below := max(a.Stride[i], a.Dilation[i], 1); extra >= below {
			panic(torch.NewError(op, torch.ErrValue, "OutputPadding",
				fmt.Sprintf("expected less than %d, the larger of stride and dilation, got %d", below, extra)))
		}
	}
}

// ConvTranspose1d applies a transposed convolution, which computes the gradient of
// [Conv1d] with respect to its input. input has shape (N, in, L) or (in, L), weight has
// shape (in, out/Groups, k), and bias has shape (out) or is nil. The result has shape
// (N, out, L') or (out, L'). It panics as Conv1d does.
// Follows torch.nn.functional.conv_transpose1d.
func ConvTranspose1d(input, weight, bias *torch.Tensor, opts ...ConvTransposeOption) *torch.Tensor {
	const op, n = "ConvTranspose1d(input, weight, bias)", 1
	var a convTransposeArgs
	a.read(op, n, opts)
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	return r.Tensor(aten.ConvTranspose1d(r.Ctx, h, w, b, a.Stride[:n], a.Padding[:n], a.extra[:n], a.groups,
		a.Dilation[:n]))
}

// ConvTranspose2d applies a transposed convolution, which computes the gradient of
// [Conv2d] with respect to its input. input has shape (N, in, H, W) or (in, H, W),
// weight has shape (in, out/Groups, kh, kw), and bias has shape (out) or is nil. The
// result has shape (N, out, H', W') or (out, H', W'). It panics as [Conv1d] does.
// Follows torch.nn.functional.conv_transpose2d.
func ConvTranspose2d(input, weight, bias *torch.Tensor, opts ...ConvTransposeOption) *torch.Tensor {
	const op, n = "ConvTranspose2d(input, weight, bias)", 2
	var a convTransposeArgs
	a.read(op, n, opts)
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	return r.Tensor(aten.ConvTranspose2dInput(r.Ctx, h, w, b, a.Stride[:n], a.Padding[:n], a.extra[:n], a.groups,
		a.Dilation[:n]))
}

// ConvTranspose3d applies a transposed convolution, which computes the gradient of
// [Conv3d] with respect to its input. input has shape (N, in, D, H, W) or (in, D, H,
// W), weight has shape (in, out/Groups, kd, kh, kw), and bias has shape (out) or is
// nil. The result has shape (N, out, D', H', W') or (out, D', H', W'). It panics as
// [Conv1d] does.
// Follows torch.nn.functional.conv_transpose3d.
func ConvTranspose3d(input, weight, bias *torch.Tensor, opts ...ConvTransposeOption) *torch.Tensor {
	const op, n = "ConvTranspose3d(input, weight, bias)", 3
	var a convTransposeArgs
	a.read(op, n, opts)
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	return r.Tensor(aten.ConvTranspose3dInput(r.Ctx, h, w, b, a.Stride[:n], a.Padding[:n], a.extra[:n], a.groups,
		a.Dilation[:n]))
}
