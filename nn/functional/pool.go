package functional

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A MaxPoolOption is an option of a max pooling: [Stride], [Padding], which is
// never the largest value, [Dilation], [CeilMode], and the plurals.
type MaxPoolOption interface{ opt.MaxPoolFunc }

// maxPoolArgs are the kernel size and MaxPoolOptions, read.
type maxPoolArgs struct {
	opt.Window
	kernel opt.Dims
	ceil   bool
}

func (a *maxPoolArgs) read(op string, n int, kernelSize any, opts []MaxPoolOption) {
	a.kernel.Read(op, "kernelSize", n, kernelSize)
	a.Stride = a.kernel
	a.Dilation.Set(n, 1)
	for _, o := range opts {
		switch o := o.(type) {
		case CeilMode:
			a.ceil = bool(o)
		default:
			if !a.Window.Take(op, n, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	checkWindows(op, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n])
}

// checkWindows panics with ErrValue for windows that no input has.
func checkWindows(op string, kernel, stride, padding, dilation []int64) {
	positive := func(arg string, list []int64) {
		for _, v := range list {
			if v <= 0 {
				panic(torch.NewError(op, torch.ErrValue, arg, fmt.Sprintf("expected a positive number, got %d", v)))
			}
		}
	}
	positive("kernelSize", kernel)
	positive("Stride", stride)
	positive("Dilation", dilation)
	for i, v := range padding {
		most := kernel[i] / 2
		if len(kernel) > 1 { // libtorch counts the gaps of a dilated window for planes alone
			most = ((kernel[i]-1)*dilation[i] + 1) / 2
		}
		if v < 0 || v > most {
			panic(torch.NewError(op, torch.ErrValue, "Padding", fmt.Sprintf("expected 0 to half of a window, %d, got %d", most, v)))
		}
	}
}

// MaxPool1d returns the largest value of each window of input, of shape (N, C,
// L) or (C, L), as a new tensor. kernelSize is an int. It panics with ErrShape
// if a window does not fit, with ErrType for a kernel size that is not a number
// and with ErrValue for options out of range. Follows
// torch.nn.functional.max_pool1d.
func MaxPool1d(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) *torch.Tensor {
	const op, n = "MaxPool1d(input)", 1
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	if k := a.kernel[0]; k > math.MaxInt32 { // libtorch would count up to it
		panic(torch.NewError(op, torch.ErrValue, "kernelSize", fmt.Sprintf("expected at most %d, got %d", math.MaxInt32, k)))
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.MaxPool1d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil))
}

// MaxPool2d returns the largest value of each window of input, of shape (N, C, H, W)
// or (C, H, W), as a new tensor. kernelSize is an int or a slice of two. It
// panics as [MaxPool1d] does. Follows torch.nn.functional.max_pool2d.
func MaxPool2d(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) *torch.Tensor {
	const op, n = "MaxPool2d(input)", 2
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.MaxPool2d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil))
}

// MaxPool2dWithIndices is [MaxPool2d] that also returns the index of each value
// within its plane, as int64. Both are new tensors. It panics as MaxPool2d does.
// Follows
// torch.nn.functional.max_pool2d with return_indices=True.
func MaxPool2dWithIndices(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) (values, indices *torch.Tensor) {
	const op, n = "MaxPool2dWithIndices(input)", 2
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	res, st := aten.MaxPool2dWithIndices(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// An AvgPoolOption is an option of an average pooling: [Stride], [Padding],
// [CeilMode], [CountIncludePad], [DivisorOverride], and the plurals.
type AvgPoolOption interface{ opt.AvgPoolFunc }

// AvgPool2d returns the mean of each window of input, of shape (N, C, H, W) or (C, H,
// W), as a new tensor. kernelSize is an int or a slice of two. It panics as
// [MaxPool1d] does. Follows torch.nn.functional.avg_pool2d.
func AvgPool2d(input *torch.Tensor, kernelSize any, opts ...AvgPoolOption) *torch.Tensor {
	const op, n = "AvgPool2d(input)", 2
	var w opt.Window
	var kernel opt.Dims
	var divisor int64
	ceil, countPad, divide := false, true, false
	kernel.Read(op, "kernelSize", n, kernelSize)
	w.Stride = kernel
	for _, o := range opts {
		switch o := o.(type) {
		case CeilMode:
			ceil = bool(o)
		case CountIncludePad:
			countPad = bool(o)
		case DivisorOverride:
			divide, divisor = true, int64(o)
		default:
			if !w.Take(op, n, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	if divide && divisor == 0 {
		panic(torch.NewError(op, torch.ErrValue, "DivisorOverride", "expected a number that is not 0, got 0"))
	}
	one := opt.Dims{1, 1}
	checkWindows(op, kernel[:n], w.Stride[:n], w.Padding[:n], one[:n])
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AvgPool2d(r.Ctx, h, kernel[:n], w.Stride[:n], w.Padding[:n], ceil, countPad, given(divide, &divisor)))
}

// readOutputSize reads a size, which may be 0.
func readOutputSize(op string, size *opt.Dims, n int, v any) {
	size.Read(op, "outputSize", n, v)
	for _, s := range size[:n] {
		if s < 0 {
			panic(torch.NewError(op, torch.ErrValue, "outputSize", fmt.Sprintf("expected no negative number, got %d", s)))
		}
	}
}

// AdaptiveAvgPool2d averages windows of input, of shape (N, C, H, W) or (C, H,
// W), so that the planes of the result have the size outputSize, an int or a
// slice of two. The result is a new tensor. It panics with ErrShape for an
// input of other dimensions and with ErrType or ErrValue for an invalid size.
// Follows torch.nn.functional.adaptive_avg_pool2d.
func AdaptiveAvgPool2d(input *torch.Tensor, outputSize any) *torch.Tensor {
	const op, n = "AdaptiveAvgPool2d(input)", 2
	var size opt.Dims
	readOutputSize(op, &size, n, outputSize)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AdaptiveAvgPool2d(r.Ctx, h, size[:n]))
}

// AdaptiveMaxPool2d is [AdaptiveAvgPool2d] with the largest value of each window. It
// panics as that does.
// Follows torch.nn.functional.adaptive_max_pool2d.
func AdaptiveMaxPool2d(input *torch.Tensor, outputSize any) *torch.Tensor {
	const op, n = "AdaptiveMaxPool2d(input)", 2
	var size opt.Dims
	readOutputSize(op, &size, n, outputSize)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	res, st := aten.AdaptiveMaxPool2d(r.Ctx, h, size[:n])
	r.Status(st)
	_ = r.Wrap(res[1]).Close()
	return r.Wrap(res[0])
}
