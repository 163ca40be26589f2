package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A ConvOption is an option of a convolution: [Stride], [Strides], [Padding],
// [Paddings], a [PaddingWord], [Dilation], [Dilations] or [Groups].
type ConvOption interface{ opt.ConvFunc }

// convArgs holds parsed ConvOptions.
type convArgs struct {
	opt.Window
	groups int64
}

func (a *convArgs) read(op string, n int, opts []ConvOption) {
	a.Stride.Set(n, 1)
	a.Dilation.Set(n, 1)
	a.groups = 1
	for _, o := range opts {
		switch o := o.(type) {
		case Groups:
			a.groups = int64(o)
		default:
			if !a.Window.Take(op, n, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	if a.Word == PaddingSame {
		for _, s := range a.Stride[:n] {
			if s != 1 {
				panic(torch.NewError(op, torch.ErrValue, "Stride", "PaddingSame needs a stride of 1"))
			}
		}
	}
}

// Conv1d convolves input of shape (N, in, L) or (in, L) with weight (out, in/Groups, k);
// bias is (out) or nil. The result has shape (N, out, L') or (out, L'). It panics with
// ErrShape for sizes that do not match, with ErrDType or ErrDevice for different dtypes
// or devices, and with ErrValue for options out of range. Follows
// torch.nn.functional.conv1d.
func Conv1d(input, weight, bias *torch.Tensor, opts ...ConvOption) *torch.Tensor {
	const op, n = "Conv1d(input, weight, bias)", 1
	var a convArgs
	a.read(op, n, opts)
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	if a.Word != "" {
		return r.Tensor(aten.Conv1dPadding(r.Ctx, h, w, b, a.Stride[:n], string(a.Word), a.Dilation[:n], a.groups))
	}
	return r.Tensor(aten.Conv1d(r.Ctx, h, w, b, a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.groups))
}

// Conv2d convolves input of shape (N, in, H, W) or (in, H, W) with weight (out,
// in/Groups, kh, kw); bias is (out) or nil. The result has shape (N, out, H', W') or
// (out, H', W'). It panics as [Conv1d] does. Follows torch.nn.functional.conv2d.
func Conv2d(input, weight, bias *torch.Tensor, opts ...ConvOption) *torch.Tensor {
	const op, n = "Conv2d(input, weight, bias)", 2
	var a convArgs
	a.read(op, n, opts)
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	if a.Word != "" {
		return r.Tensor(aten.Conv2dPadding(r.Ctx, h, w, b, a.Stride[:n], string(a.Word), a.Dilation[:n], a.groups))
	}
	return r.Tensor(aten.Conv2d(r.Ctx, h, w, b, a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.groups))
}

// Conv3d convolves input of shape (N, in, D, H, W) or (in, D, H, W) with weight (out,
// in/Groups, kd, kh, kw); bias is (out) or nil. The result has shape (N, out, D', H',
// W') or (out, D', H', W'). It panics as [Conv1d] does.
// Follows torch.nn.functional.conv3d.
func Conv3d(input, weight, bias *torch.Tensor, opts ...ConvOption) *torch.Tensor {
	const op, n = "Conv3d(input, weight, bias)", 3
	var a convArgs
	a.read(op, n, opts)
	h, w, b := input.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op, input, weight, bias)
	if a.Word != "" {
		return r.Tensor(aten.Conv3dPadding(r.Ctx, h, w, b, a.Stride[:n], string(a.Word), a.Dilation[:n], a.groups))
	}
	return r.Tensor(aten.Conv3d(r.Ctx, h, w, b, a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.groups))
}
