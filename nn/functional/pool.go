package functional

import (
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/torch"
)

// MaxPoolOptions are the rarer arguments of the max poolings, each an int or a
// slice with one for each direction.
type MaxPoolOptions struct {
	Stride   any  // nil: the kernel size
	Padding  any  // nil: 0; what is padded never wins
	Dilation any  // nil: 1
	CeilMode bool // round the output size up
}

// MaxPool1d returns the largest value of each window of x, of shape (N, C, L)
// or (C, L). kernelSize is an int. Follows torch.nn.functional.max_pool1d.
func MaxPool1d(x *torch.Tensor, kernelSize any, opts ...MaxPoolOptions) *torch.Tensor {
	const op = "MaxPool1d(input)"
	o := option(op, opts)
	k := ints(op, "kernelSize", kernelSize, 1, nil)
	stride, padding, dilation := ints(op, "Stride", o.Stride, 1, k), ints(op, "Padding", o.Padding, 1, zeros[:1]), ints(op, "Dilation", o.Dilation, 1, ones[:1])
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.MaxPool1d(r.Ctx, h, k, stride, padding, dilation, o.CeilMode), x)
}

// MaxPool2d returns the largest value of each window of x, of shape (N, C, H,
// W) or (C, H, W). kernelSize is an int or a slice of two. It panics with
// ErrShape if a window does not fit. Follows torch.nn.functional.max_pool2d.
func MaxPool2d(x *torch.Tensor, kernelSize any, opts ...MaxPoolOptions) *torch.Tensor {
	const op = "MaxPool2d(input)"
	o := option(op, opts)
	k := ints(op, "kernelSize", kernelSize, 2, nil)
	stride, padding, dilation := ints(op, "Stride", o.Stride, 2, k), ints(op, "Padding", o.Padding, 2, zeros[:2]), ints(op, "Dilation", o.Dilation, 2, ones[:2])
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.MaxPool2d(r.Ctx, h, k, stride, padding, dilation, o.CeilMode), x)
}

// MaxPool2dWithIndices is MaxPool2d that also returns where in its plane each
// value was, as int64. Follows torch.nn.functional.max_pool2d with
// return_indices=True.
func MaxPool2dWithIndices(x *torch.Tensor, kernelSize any, opts ...MaxPoolOptions) (values, indices *torch.Tensor) {
	const op = "MaxPool2dWithIndices(input)"
	o := option(op, opts)
	k := ints(op, "kernelSize", kernelSize, 2, nil)
	stride, padding, dilation := ints(op, "Stride", o.Stride, 2, k), ints(op, "Padding", o.Padding, 2, zeros[:2]), ints(op, "Dilation", o.Dilation, 2, ones[:2])
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	res, st := aten.MaxPool2dWithIndices(r.Ctx, h, k, stride, padding, dilation, o.CeilMode)
	r.Status(st, x)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// AvgPoolOptions are the rarer arguments of [AvgPool2d].
type AvgPoolOptions struct {
	Stride          any   // nil: the kernel size
	Padding         any   // nil: 0
	CeilMode        bool  // round the output size up
	ExcludePad      bool  // count only real elements, count_include_pad=False
	DivisorOverride int64 // 0: the window's size
}

// AvgPool2d returns the mean of each window of x, of shape (N, C, H, W) or (C,
// H, W). kernelSize is an int or a slice of two. Follows
// torch.nn.functional.avg_pool2d.
func AvgPool2d(x *torch.Tensor, kernelSize any, opts ...AvgPoolOptions) *torch.Tensor {
	const op = "AvgPool2d(input)"
	o := option(op, opts)
	k := ints(op, "kernelSize", kernelSize, 2, nil)
	stride, padding := ints(op, "Stride", o.Stride, 2, k), ints(op, "Padding", o.Padding, 2, zeros[:2])
	var divisor *int64
	if o.DivisorOverride != 0 {
		divisor = &o.DivisorOverride
	}
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.AvgPool2d(r.Ctx, h, k, stride, padding, o.CeilMode, !o.ExcludePad, divisor), x)
}

// AdaptiveAvgPool2d averages windows of x so that the result's planes have the
// given size, an int or a slice of two. Follows
// torch.nn.functional.adaptive_avg_pool2d.
func AdaptiveAvgPool2d(x *torch.Tensor, outputSize any) *torch.Tensor {
	const op = "AdaptiveAvgPool2d(input)"
	size := ints(op, "outputSize", outputSize, 2, nil)
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	return r.Tensor(aten.AdaptiveAvgPool2d(r.Ctx, h, size), x)
}

// AdaptiveMaxPool2d is AdaptiveAvgPool2d with the largest value of each
// window. Follows torch.nn.functional.adaptive_max_pool2d.
func AdaptiveMaxPool2d(x *torch.Tensor, outputSize any) *torch.Tensor {
	const op = "AdaptiveMaxPool2d(input)"
	size := ints(op, "outputSize", outputSize, 2, nil)
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op)
	res, st := aten.AdaptiveMaxPool2d(r.Ctx, h, size)
	r.Status(st, x)
	_ = r.Wrap(res[1]).Close()
	return r.Wrap(res[0])
}
