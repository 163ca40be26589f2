package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A FractionalPoolOption is [RandomSamples], [OutputSize], [OutputSizes], [OutputRatio]
// or [OutputRatios]. Exactly one size or ratio is required.
type FractionalPoolOption interface{ opt.FractionalPoolFunc }

// fractionalArgs holds the parsed kernel size and FractionalPoolOptions.
type fractionalArgs struct {
	kernel, size      opt.Dims
	ratio             [3]float64
	hasSize, hasRatio bool
	samples           *torch.Tensor
}

func (a *fractionalArgs) read(op string, n int, input *torch.Tensor, kernelSize any, opts []FractionalPoolOption) {
	wrong := func(arg, message string) { panic(torch.NewError(op, torch.ErrValue, arg, message)) }
	a.kernel.Read(op, "kernelSize", n, kernelSize)
	for _, o := range opts {
		switch o := o.(type) {
		case OutputSize:
			a.hasSize = true
			a.size.Set(n, int64(o))
		case OutputSizes:
			a.hasSize = true
			a.size.SetAll(op, "OutputSizes", n, o)
		case OutputRatio:
			a.hasRatio = true
			a.ratio = [3]float64{float64(o), float64(o), float64(o)}
		case OutputRatios:
			a.hasRatio = true
			if copy(a.ratio[:n], o) != n || len(o) != n {
				wrong("OutputRatios", fmt.Sprintf("expected %d numbers, got %d", n, len(o)))
			}
		case RandomSamplesOption:
			a.samples = o.Tensor()
		default:
			panic(opt.Unknown(op, o))
		}
	}
	if a.hasSize == a.hasRatio {
		wrong("OutputSize", "give exactly one of OutputSize and OutputRatio")
	}
	if d := input.Dim(); d != int64(n+1) && d != int64(n+2) {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d or %d dimensions, got size %v", n+1, n+2, input.Shape())))
	}
	for i := range n {
		if a.hasRatio {
			if !(a.ratio[i] > 0 && a.ratio[i] <= 1) {
				wrong("OutputRatio", fmt.Sprintf("expected a number between 0 and 1, got %v", a.ratio[i]))
			}
			a.size[i] = int64(float64(input.Size(int64(i-n))) * a.ratio[i])
		}
		if a.size[i] <= 0 {
			wrong("OutputSize", fmt.Sprintf("expected a positive number, got %d", a.size[i]))
		}
		if a.kernel[i] <= 0 {
			wrong("kernelSize", fmt.Sprintf("expected a positive number, got %d", a.kernel[i]))
		}
		// libtorch adds kernel and output size, and its check would accept a sum that
		// overflows.
		if has := input.Size(int64(i - n)); a.kernel[i] > has || a.size[i] > has {
			panic(torch.NewError(op, torch.ErrShape, "kernelSize", fmt.Sprintf(
				"the input's size, %d in spatial dimension %d, is less than kernel size %d or output size %d", has, i,
				a.kernel[i], a.size[i])))
		}
	}
}

// fractionalFunc is a fractional max pooling operator of libtorch.
type fractionalFunc = func(cx abi.Ctx, self abi.Tensor, kernelSize, outputSize []int64,
	randomSamples abi.Tensor) ([2]abi.Tensor, abi.Status)

// run calls f with a.samples, or with random samples if a.samples is nil.
func (a *fractionalArgs) run(op string, n int, input *torch.Tensor, f fractionalFunc) (values, indices *torch.Tensor) {
	samples := a.samples
	if samples == nil {
		batch, channels := int64(1), input.Size(0)
		if input.Dim() == int64(n+2) {
			batch, channels = channels, input.Size(1)
		}
		samples = torch.Rand(torch.Shape{batch, channels, int64(n)}, input.DType(), input.Device())
		defer func() { _ = samples.Close() }()
	}
	h, s := input.HandleFor(op, 0), samples.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, samples)
	res, st := f(r.Ctx, h, a.kernel[:n], a.size[:n], s)
	r.Status(st)
	return r.Wrap(res[0]), r.Wrap(res[1])
}

// FractionalMaxPool2d returns the largest value of each window of input, of shape (N,
// C, H, W) or (C, H, W). kernelSize is an int or a slice of two. The windows are at
// random positions, so that the result can have any [OutputSize], or [OutputRatio] of
// the input's size. The positions come from the default generator, or from
// [RandomSamples]. It panics with ErrShape if a window does not fit and with ErrValue
// unless exactly one of OutputSize and OutputRatio is given.
// Follows torch.nn.functional.fractional_max_pool2d.
func FractionalMaxPool2d(input *torch.Tensor, kernelSize any, opts ...FractionalPoolOption) *torch.Tensor {
	const op, n = "FractionalMaxPool2d(input, random_samples)", 2
	_ = input.HandleFor(op, 0)
	a := new(fractionalArgs)
	a.read(op, n, input, kernelSize, opts)
	values, indices := a.run(op, n, input, aten.FractionalMaxPool2d)
	_ = indices.Close()
	return values
}

// FractionalMaxPool2dWithIndices is [FractionalMaxPool2d] that also returns the index
// of each value within its plane, as int64. It panics as FractionalMaxPool2d does.
// Follows torch.nn.functional.fractional_max_pool2d with return_indices=True.
func FractionalMaxPool2dWithIndices(input *torch.Tensor, kernelSize any,
	opts ...FractionalPoolOption,
) (values, indices *torch.Tensor) {
	const op, n = "FractionalMaxPool2dWithIndices(input, random_samples)", 2
	_ = input.HandleFor(op, 0)
	a := new(fractionalArgs)
	a.read(op, n, input, kernelSize, opts)
	return a.run(op, n, input, aten.FractionalMaxPool2d)
}

// FractionalMaxPool3d is [FractionalMaxPool2d] for an input of shape (N, C, D,
// H, W) or (C, D, H, W). Follows torch.nn.functional.fractional_max_pool3d.
func FractionalMaxPool3d(input *torch.Tensor, kernelSize any, opts ...FractionalPoolOption) *torch.Tensor {
	const op, n = "FractionalMaxPool3d(input, random_samples)", 3
	_ = input.HandleFor(op, 0)
	a := new(fractionalArgs)
	a.read(op, n, input, kernelSize, opts)
	values, indices := a.run(op, n, input, aten.FractionalMaxPool3d)
	_ = indices.Close()
	return values
}

// FractionalMaxPool3dWithIndices is [FractionalMaxPool3d] that also returns the index
// of each value within its volume, as int64. It panics as FractionalMaxPool3d does.
// Follows torch.nn.functional.fractional_max_pool3d with return_indices=True.
func FractionalMaxPool3dWithIndices(input *torch.Tensor, kernelSize any,
	opts ...FractionalPoolOption,
) (values, indices *torch.Tensor) {
	const op, n = "FractionalMaxPool3dWithIndices(input, random_samples)", 3
	_ = input.HandleFor(op, 0)
	a := new(fractionalArgs)
	a.read(op, n, input, kernelSize, opts)
	return a.run(op, n, input, aten.FractionalMaxPool3d)
}
