package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// ConvOptions are the rarer arguments of the convolutions. Stride, Padding and
// Dilation are an int for all directions or a slice with one for each, such as
// []int64{1, 2}.
type ConvOptions struct {
	Stride   any   // nil: 1
	Padding  any   // nil: 0; "same" or "valid" as in PyTorch
	Dilation any   // nil: 1
	Groups   int64 // 0: 1
}

// convArgs are ConvOptions, read.
type convArgs struct {
	stride, padding, dilation []int64
	mode                      string // instead of padding
	groups                    int64
}

func (o ConvOptions) read(op string, n int) convArgs {
	a := convArgs{
		stride: ints(op, "Stride", o.Stride, n, ones[:n]), dilation: ints(op, "Dilation", o.Dilation, n, ones[:n]),
		groups: o.Groups,
	}
	if mode, ok := o.Padding.(string); ok {
		a.mode = mode
	} else {
		a.padding = ints(op, "Padding", o.Padding, n, zeros[:n])
	}
	if a.groups == 0 {
		a.groups = 1
	}
	return a
}

// Conv1d convolves x of shape (N, in, L) or (in, L) with weight (out,
// in/groups, k); bias is (out) or nil. Follows torch.nn.functional.conv1d.
func Conv1d(x, weight, bias *torch.Tensor, opts ...ConvOptions) *torch.Tensor {
	const op = "Conv1d(input, weight, bias)"
	a := option(op, opts).read(op, 1)
	h, w, b := x.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op)
	if a.mode != "" {
		return r.Tensor(aten.Conv1dPadding(r.Ctx, h, w, b, a.stride, a.mode, a.dilation, a.groups), x, weight, bias)
	}
	return r.Tensor(aten.Conv1d(r.Ctx, h, w, b, a.stride, a.padding, a.dilation, a.groups), x, weight, bias)
}

// Conv2d convolves x of shape (N, in, H, W) or (in, H, W) with weight (out,
// in/groups, kh, kw); bias is (out) or nil. Follows
// torch.nn.functional.conv2d.
func Conv2d(x, weight, bias *torch.Tensor, opts ...ConvOptions) *torch.Tensor {
	const op = "Conv2d(input, weight, bias)"
	a := option(op, opts).read(op, 2)
	h, w, b := x.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op)
	if a.mode != "" {
		return r.Tensor(aten.Conv2dPadding(r.Ctx, h, w, b, a.stride, a.mode, a.dilation, a.groups), x, weight, bias)
	}
	return r.Tensor(aten.Conv2d(r.Ctx, h, w, b, a.stride, a.padding, a.dilation, a.groups), x, weight, bias)
}

// Conv3d convolves x of shape (N, in, D, H, W) or (in, D, H, W) with weight
// (out, in/groups, kd, kh, kw); bias is (out) or nil. Follows
// torch.nn.functional.conv3d.
func Conv3d(x, weight, bias *torch.Tensor, opts ...ConvOptions) *torch.Tensor {
	const op = "Conv3d(input, weight, bias)"
	a := option(op, opts).read(op, 3)
	h, w, b := x.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op)
	if a.mode != "" {
		return r.Tensor(aten.Conv3dPadding(r.Ctx, h, w, b, a.stride, a.mode, a.dilation, a.groups), x, weight, bias)
	}
	return r.Tensor(aten.Conv3d(r.Ctx, h, w, b, a.stride, a.padding, a.dilation, a.groups), x, weight, bias)
}

// ConvTransposeOptions are the rarer arguments of [ConvTranspose2d], each an
// int or a slice of two.
type ConvTransposeOptions struct {
	Stride        any   // nil: 1
	Padding       any   // nil: 0
	OutputPadding any   // nil: 0
	Dilation      any   // nil: 1
	Groups        int64 // 0: 1
}

// ConvTranspose2d is the gradient of Conv2d as an operator: x of shape (N, in,
// H, W) or (in, H, W), weight (in, out/groups, kh, kw), bias (out) or nil.
// Follows torch.nn.functional.conv_transpose2d.
func ConvTranspose2d(x, weight, bias *torch.Tensor, opts ...ConvTransposeOptions) *torch.Tensor {
	const op = "ConvTranspose2d(input, weight, bias)"
	o := option(op, opts)
	stride, dilation := ints(op, "Stride", o.Stride, 2, ones[:2]), ints(op, "Dilation", o.Dilation, 2, ones[:2])
	padding, extra := ints(op, "Padding", o.Padding, 2, zeros[:2]), ints(op, "OutputPadding", o.OutputPadding, 2, zeros[:2])
	groups := max(o.Groups, 1)
	h, w, b := x.HandleFor(op, 0), weight.HandleFor(op, 1), bias.OptionalHandleFor(op, 2)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.ConvTranspose2dInput(r.Ctx, h, w, b, stride, padding, extra, groups, dilation), x, weight, bias)
}
