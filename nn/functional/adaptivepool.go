package functional

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// SizeNone in an output size keeps the input's size in that dimension, as Python's None
// does: []int64{SizeNone, 7}.
const SizeNone = math.MinInt64

// readOutputSize reads the output size v into size. It replaces SizeNone with the size of
// input in that dimension, and accepts sizes of 0.
func readOutputSize(op string, size *opt.Dims, n int, v any, input *torch.Tensor) {
	size.Read(op, "outputSize", n, v)
	for i, s := range size[:n] {
		switch {
		case s == SizeNone && input.Dim() >= int64(n):
			size[i] = input.Size(int64(i - n))
		case s < 0 && s != SizeNone:
			panic(torch.NewError(op, torch.ErrValue, "outputSize",
				fmt.Sprintf("expected no negative number, got %d", s)))
		}
	}
}

// adaptiveAvg calls f, an average pooling function for n spatial dimensions, with the
// parsed outputSize.
func adaptiveAvg(op string, n int, input *torch.Tensor, outputSize any,
	f func(cx abi.Ctx, h abi.Tensor, size []int64) abi.Ret,
) *torch.Tensor {
	h := input.HandleFor(op, 0)
	var size opt.Dims
	readOutputSize(op, &size, n, outputSize, input)
	r := torch.BeginRaw(op, input)
	return r.Tensor(f(r.Ctx, h, size[:n]))
}

// adaptiveMax calls f, a max pooling function for n spatial dimensions that also returns
// indices, with the parsed outputSize.
func adaptiveMax(op string, n int, input *torch.Tensor, outputSize any,
	f func(cx abi.Ctx, h abi.Tensor, size []int64) ([2]abi.Tensor, abi.Status),
) (values, indices *torch.Tensor) {
	h := input.HandleFor(op, 0)
	var size opt.Dims
	readOutputSize(op, &size, n, outputSize, input)
	r := torch.BeginRaw(op, input)
	res, st := f(r.Ctx, h, size[:n])
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// AdaptiveAvgPool1d averages windows of input, of shape (N, C, L) or (C, L), so that the
// result has the size outputSize, an int. [SizeNone] keeps the size of input. It panics
// with ErrShape for an input with a different number of dimensions and with ErrType or
// ErrValue for an invalid size. Follows torch.nn.functional.adaptive_avg_pool1d.
func AdaptiveAvgPool1d(input *torch.Tensor, outputSize any) *torch.Tensor {
	return adaptiveAvg("AdaptiveAvgPool1d(input)", 1, input, outputSize, aten.AdaptiveAvgPool1d)
}

// AdaptiveAvgPool2d averages windows of input, of shape (N, C, H, W) or (C, H, W), so
// that the result has the size outputSize, an int or a slice of two. [SizeNone] keeps
// the size of input. It panics as [AdaptiveAvgPool1d] does.
// Follows torch.nn.functional.adaptive_avg_pool2d.
func AdaptiveAvgPool2d(input *torch.Tensor, outputSize any) *torch.Tensor {
	return adaptiveAvg("AdaptiveAvgPool2d(input)", 2, input, outputSize, aten.AdaptiveAvgPool2d)
}

// AdaptiveAvgPool3d averages windows of input, of shape (N, C, D, H, W) or (C, D, H,
// W), so that the result has the size outputSize, an int or a slice of three.
// [SizeNone] keeps the size of input. It panics as [AdaptiveAvgPool1d] does.
// Follows torch.nn.functional.adaptive_avg_pool3d.
func AdaptiveAvgPool3d(input *torch.Tensor, outputSize any) *torch.Tensor {
	return adaptiveAvg("AdaptiveAvgPool3d(input)", 3, input, outputSize, aten.AdaptiveAvgPool3d)
}

// AdaptiveMaxPool1d is [AdaptiveAvgPool1d] with the largest value of each window. It
// panics as AdaptiveAvgPool1d does. Follows torch.nn.functional.adaptive_max_pool1d.
func AdaptiveMaxPool1d(input *torch.Tensor, outputSize any) *torch.Tensor {
	values, indices := adaptiveMax("AdaptiveMaxPool1d(input)", 1, input, outputSize, aten.AdaptiveMaxPool1d)
	_ = indices.Close()
	return values
}

// AdaptiveMaxPool1dWithIndices is [AdaptiveMaxPool1d] that also returns the int64 index
// of each value along the last dimension of input. It panics as AdaptiveMaxPool1d does.
// Follows torch.nn.functional.adaptive_max_pool1d with return_indices=True.
func AdaptiveMaxPool1dWithIndices(input *torch.Tensor, outputSize any) (values, indices *torch.Tensor) {
	return adaptiveMax("AdaptiveMaxPool1dWithIndices(input)", 1, input, outputSize, aten.AdaptiveMaxPool1d)
}

// AdaptiveMaxPool2d is [AdaptiveAvgPool2d] with the largest value of each window. It
// panics as AdaptiveAvgPool2d does. Follows torch.nn.functional.adaptive_max_pool2d.
func AdaptiveMaxPool2d(input *torch.Tensor, outputSize any) *torch.Tensor {
	values, indices := adaptiveMax("AdaptiveMaxPool2d(input)", 2, input, outputSize, aten.AdaptiveMaxPool2d)
	_ = indices.Close()
	return values
}

// AdaptiveMaxPool2dWithIndices is [AdaptiveMaxPool2d] that also returns the index of
// each value within its plane, as int64. It panics as AdaptiveMaxPool2d does.
// Follows torch.nn.functional.adaptive_max_pool2d with return_indices=True.
func AdaptiveMaxPool2dWithIndices(input *torch.Tensor, outputSize any) (values, indices *torch.Tensor) {
	return adaptiveMax("AdaptiveMaxPool2dWithIndices(input)", 2, input, outputSize, aten.AdaptiveMaxPool2d)
}

// AdaptiveMaxPool3d is [AdaptiveAvgPool3d] with the largest value of each window. It
// panics as AdaptiveAvgPool3d does. Follows torch.nn.functional.adaptive_max_pool3d.
func AdaptiveMaxPool3d(input *torch.Tensor, outputSize any) *torch.Tensor {
	values, indices := adaptiveMax("AdaptiveMaxPool3d(input)", 3, input, outputSize, aten.AdaptiveMaxPool3d)
	_ = indices.Close()
	return values
}

// AdaptiveMaxPool3dWithIndices is [AdaptiveMaxPool3d] that also returns the index of
// each value within its volume, as int64. It panics as AdaptiveMaxPool3d does.
// Follows torch.nn.functional.adaptive_max_pool3d with return_indices=True.
func AdaptiveMaxPool3dWithIndices(input *torch.Tensor, outputSize any) (values, indices *torch.Tensor) {
	return adaptiveMax("AdaptiveMaxPool3dWithIndices(input)", 3, input, outputSize, aten.AdaptiveMaxPool3d)
}
