package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// FractionalPoolBase holds the fields common to the fractional max pooling layers. You
// may assign to its settings: Forward uses the new values. Either OutputSize or
// OutputRatio is nil.
type FractionalPoolBase struct {
	Base
	RandomSamples          *torch.Tensor // shape (N, C, spatial dimensions), or nil
	KernelSize, OutputSize torch.Shape   // one number per spatial dimension
	OutputRatio            []float64
}

func (l *FractionalPoolBase) build(self Module, op string, n int, kernelSize any, opts []FractionalPoolOption) {
	wrong := func(arg, message string) { panic(torch.NewError(op, torch.ErrValue, arg, message)) }
	l.KernelSize = opt.ReadSize(op, "kernelSize", kernelSize, n)
	if least := slices.Min(l.KernelSize); n == 3 && least <= 0 {
		wrong("kernelSize", fmt.Sprintf("expected a positive number, got %d", least))
	}
	var as Registration
	var drawn *torch.Tensor
	for _, o := range opts {
		switch o := o.(type) {
		case OutputSize:
			l.OutputSize = slices.Repeat(torch.Shape{int64(o)}, n)
		case OutputSizes:
			l.OutputSize = opt.ReadSize(op, "OutputSizes", []int64(o), n)
		case OutputRatio:
			l.OutputRatio = readRatio(op, n, []float64{float64(o)})
		case OutputRatios:
			l.OutputRatio = readRatio(op, n, o)
		case RandomSamplesOption:
			drawn = o.Tensor()
		case Registration:
			as = o
		default:
			panic(opt.Unknown(op, o))
		}
	}
	switch {
	case l.OutputSize == nil && l.OutputRatio == nil:
		wrong("OutputSize", "one of OutputSize and OutputRatio is needed")
	case l.OutputSize != nil && l.OutputRatio != nil:
		wrong("OutputRatio", "only one of OutputSize and OutputRatio can be given")
	}
	b := self.ModuleBase()
	b.startLayer(self)
	b.buffer("_random_samples", &l.RandomSamples, drawn)
	as.register(self)
}

// readRatio reads a ratio for each of n dimensions, or one for all.
func readRatio(op string, n int, list []float64) []float64 {
	if len(list) != n && len(list) != 1 {
		panic(torch.NewError(op, torch.ErrValue, "OutputRatios",
			fmt.Sprintf("expected one number or %d, got %v", n, slices.Clone(list))))
	}
	ratios := make([]float64, n)
	for i := range ratios {
		r := list[i%len(list)]
		if !(r > 0 && r < 1) {
			panic(torch.NewError(op, torch.ErrValue, "OutputRatio",
				fmt.Sprintf("expected a number between 0 and 1, got %v", r)))
		}
		ratios[i] = r
	}
	return ratios
}

func (l *FractionalPoolBase) options() []F.FractionalPoolOption {
	opts := []F.FractionalPoolOption{F.RandomSamples(l.RandomSamples)}
	if l.OutputSize != nil {
		opts = append(opts, F.OutputSizes(l.OutputSize))
	}
	if l.OutputRatio != nil {
		opts = append(opts, F.OutputRatios(l.OutputRatio))
	}
	return opts
}

// FractionalMaxPool2d takes the largest value of windows at random positions.
// Follows torch.nn.FractionalMaxPool2d.
type FractionalMaxPool2d struct{ FractionalPoolBase }

// NewFractionalMaxPool2d makes a pooling layer with windows of size kernelSize, an int or
// a slice of height and width. Give either an [OutputSize], or an [OutputRatio] of the
// input's size. It panics with ErrType or ErrValue for invalid sizes, and with ErrValue
// unless exactly one of the two is given. Follows torch.nn.FractionalMaxPool2d.
func NewFractionalMaxPool2d(kernelSize any, opts ...FractionalPoolOption) *FractionalMaxPool2d {
	l := new(FractionalMaxPool2d)
	l.build(l, "NewFractionalMaxPool2d", 2, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, H, W) or (C, H, W). It panics as
// F.FractionalMaxPool2d does.
func (l *FractionalMaxPool2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.FractionalMaxPool2d(x, []int64(l.KernelSize), l.options()...)
	})
}

// ForwardWithIndices also returns the index of each value, as
// F.FractionalMaxPool2dWithIndices does. Follows return_indices=True.
func (l *FractionalMaxPool2d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		return F.FractionalMaxPool2dWithIndices(x, []int64(l.KernelSize), l.options()...)
	})
}

// FractionalMaxPool3d takes the largest value of windows at random positions.
// Follows torch.nn.FractionalMaxPool3d.
type FractionalMaxPool3d struct{ FractionalPoolBase }

// NewFractionalMaxPool3d makes a pooling layer with windows of size kernelSize, an int or
// a slice of depth, height and width. Give either an [OutputSize], or an [OutputRatio] of
// the input's size. It panics with ErrType or ErrValue for invalid sizes, and with
// ErrValue unless exactly one of the two is given. Follows torch.nn.FractionalMaxPool3d.
func NewFractionalMaxPool3d(kernelSize any, opts ...FractionalPoolOption) *FractionalMaxPool3d {
	l := new(FractionalMaxPool3d)
	l.build(l, "NewFractionalMaxPool3d", 3, kernelSize, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It panics as
// F.FractionalMaxPool3d does.
func (l *FractionalMaxPool3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return F.FractionalMaxPool3d(x, []int64(l.KernelSize), l.options()...)
	})
}

// ForwardWithIndices also returns the index of each value, as
// F.FractionalMaxPool3dWithIndices does. Follows return_indices=True.
func (l *FractionalMaxPool3d) ForwardWithIndices(x *torch.Tensor) (values, indices *torch.Tensor) {
	return callWithIndices(l, x, func(x *torch.Tensor) (v, i *torch.Tensor) {
		return F.FractionalMaxPool3dWithIndices(x, []int64(l.KernelSize), l.options()...)
	})
}
