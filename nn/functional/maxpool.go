package functional

import (
	"fmt"
	"math"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/native/recording"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A MaxPoolOption is an option of the max pooling functions: [Stride], [Strides],
// [Padding], [Paddings], [Dilation], [Dilations] or [CeilMode]. Padded elements are never
// the largest.
type MaxPoolOption interface{ opt.MaxPoolFunc }

// maxPoolArgs holds the parsed kernel size and MaxPoolOptions.
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
	mustFitWindows(op, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n])
	// libtorch's one-dimensional kernel loops over the k elements of a window, however
	// short the input is.
	if k := a.kernel[0]; n == 1 && k > math.MaxInt32 {
		panic(torch.NewError(op, torch.ErrValue, "kernelSize",
			fmt.Sprintf("expected at most %d, got %d", math.MaxInt32, k)))
	}
}

// mustFitWindows panics with ErrValue for windows that fit no input.
func mustFitWindows(op string, kernel, stride, padding, dilation []int64) {
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
		if len(kernel) > 1 { // libtorch considers dilation only for two or more dimensions
			most = ((kernel[i]-1)*dilation[i] + 1) / 2
		}
		if v < 0 || v > most {
			panic(torch.NewError(op, torch.ErrValue, "Padding",
				fmt.Sprintf("expected a number from 0 to %d, half of the window, got %d", most, v)))
		}
	}
}

// MaxPool1d returns the largest value of each window of input, of shape (N, C, L) or
// (C, L). kernelSize is an int. It panics with ErrShape if a window does not fit,
// with ErrType for a kernel size that is not a number and with ErrValue for options
// out of range. Follows torch.nn.functional.max_pool1d.
func MaxPool1d(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) *torch.Tensor {
	const op, n = "MaxPool1d(input)", 1
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	// Without gradients, libtorch computes max_pool1d without calling an operator, so
	// the recording of a step would miss it.
	if recording.Current() != nil {
		values, indices := MaxPool1dWithIndices(input, kernelSize, opts...)
		_ = indices.Close()
		return values
	}
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.MaxPool1d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil))
}

// MaxPool1dWithIndices is [MaxPool1d] that also returns the index of each value
// within its line, as int64, for [MaxUnpool1d]. It panics as MaxPool1d does.
// Follows torch.nn.functional.max_pool1d with return_indices=True.
func MaxPool1dWithIndices(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) (values, indices *torch.Tensor) {
	const op, n = "MaxPool1dWithIndices(input)", 1
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	res, st := aten.MaxPool1dWithIndices(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// MaxPool2d returns the largest value of each window of input, of shape (N, C, H, W)
// or (C, H, W). kernelSize is an int or a slice of two. It panics as [MaxPool1d]
// does. Follows torch.nn.functional.max_pool2d.
func MaxPool2d(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) *torch.Tensor {
	const op, n = "MaxPool2d(input)", 2
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.MaxPool2d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil))
}

// MaxPool2dWithIndices is [MaxPool2d] that also returns the index of each value
// within its plane, as int64, for [MaxUnpool2d]. It panics as MaxPool2d does.
// Follows torch.nn.functional.max_pool2d with return_indices=True.
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

// MaxPool3d returns the largest value of each window of input, of shape (N, C, D, H,
// W) or (C, D, H, W). kernelSize is an int or a slice of three. It panics as
// [MaxPool1d] does. Follows torch.nn.functional.max_pool3d.
func MaxPool3d(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) *torch.Tensor {
	const op, n = "MaxPool3d(input)", 3
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.MaxPool3d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil))
}

// MaxPool3dWithIndices is [MaxPool3d] that also returns the index of each value
// within its volume, as int64, for [MaxUnpool3d]. It panics as MaxPool3d does.
// Follows torch.nn.functional.max_pool3d with return_indices=True.
func MaxPool3dWithIndices(input *torch.Tensor, kernelSize any, opts ...MaxPoolOption) (values, indices *torch.Tensor) {
	const op, n = "MaxPool3dWithIndices(input)", 3
	var a maxPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	res, st := aten.MaxPool3dWithIndices(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n], a.ceil)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}
