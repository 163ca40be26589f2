package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// buildTransposed makes a transposed convolution.
func (c *ConvBase) buildTransposed(self Module, op string, in, out int64, kernel any, n int,
	opts []ConvTransposeOption,
) {
	o := newConvOptions(n)
	for _, x := range opts {
		o.read(op, n, x)
	}
	k := opt.ReadSize(op, "kernelSize", kernel, n)
	o.mustFit(op, in, out, k)
	c.build(self, op, in, out, k, &o, [2]int64{in, out / o.groups})
}

// outputPaddingFor returns the output padding that produces the given output size.
func (c *ConvBase) outputPaddingFor(op string, n int, x *torch.Tensor, size torch.Shape) []int64 {
	_ = x.HandleFor(op+"(input)", 0)
	shape := x.Shape()
	c.mustHaveLength(op, n, shapeField{"KernelSize", c.KernelSize}, shapeField{"Stride", c.Stride},
		shapeField{"Padding", c.Padding}, shapeField{"Dilation", c.Dilation})
	if len(shape) != n+1 && len(shape) != n+2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d or %d dimensions, got size %v", n+1, n+2, shape)))
	}
	if len(size) != n && len(size) != len(shape) {
		panic(torch.NewError(op, torch.ErrValue, "outputSize",
			fmt.Sprintf("expected %d or %d sizes, got %v", n, len(shape), size)))
	}
	extra := make([]int64, n)
	for i := range n {
		least := (shape[len(shape)-n+i]-1)*c.Stride[i] - 2*c.Padding[i] + c.Dilation[i]*(c.KernelSize[i]-1) + 1
		got := size[len(size)-n+i]
		if got < least || got > least+c.Stride[i]-1 {
			panic(torch.NewError(op, torch.ErrValue, "outputSize", fmt.Sprintf(
				"expected a size from %d to %d in spatial dimension %d, got sizes %v", least, least+c.Stride[i]-1, i,
				size)))
		}
		extra[i] = got - least
	}
	return extra
}

// runTransposed runs a transposed convolution in n spatial dimensions.
func (c *ConvBase) runTransposed(n int, x *torch.Tensor, extra []int64) *torch.Tensor {
	stride, padding, dilation := F.Strides(c.Stride), F.Paddings(c.Padding), F.Dilations(c.Dilation)
	switch n {
	case 1:
		return F.ConvTranspose1d(x, c.Weight, c.Bias, stride, padding, F.OutputPaddings(extra), F.Groups(c.Groups),
			dilation)
	case 2:
		return F.ConvTranspose2d(x, c.Weight, c.Bias, stride, padding, F.OutputPaddings(extra), F.Groups(c.Groups),
			dilation)
	}
	return F.ConvTranspose3d(x, c.Weight, c.Bias, stride, padding, F.OutputPaddings(extra), F.Groups(c.Groups),
		dilation)
}

// ConvTranspose1d is a transposed convolution of sequences.
// Follows torch.nn.ConvTranspose1d.
type ConvTranspose1d struct{ ConvBase }

// NewConvTranspose1d makes a transposed convolution layer; in and out are its numbers of
// input and output channels. kernelSize is an int. It panics with ErrValue for invalid
// sizes. Follows torch.nn.ConvTranspose1d.
func NewConvTranspose1d(in, out int64, kernelSize any, opts ...ConvTransposeOption) *ConvTranspose1d {
	l := new(ConvTranspose1d)
	l.buildTransposed(l, "NewConvTranspose1d", in, out, kernelSize, 1, opts)
	return l
}

// Forward takes x of shape (N, in, L) or (in, L). It panics with ErrShape or ErrDType if
// x has the wrong shape or dtype, and with ErrValue if the output padding is not smaller
// than the stride or the dilation.
func (l *ConvTranspose1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.runTransposed(1, x, l.OutputPadding)
	})
}

// ForwardWithOutputSize is Forward with an output size instead of an output padding.
// outputSize lists the spatial dimensions, or all dimensions. It panics with ErrValue
// for a size that the layer's settings cannot produce. Follows forward(x,
// output_size=outputSize).
func (l *ConvTranspose1d) ForwardWithOutputSize(x *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.runTransposed(1, x, l.outputPaddingFor("ConvTranspose1d", 1, x, outputSize))
	})
}

// ConvTranspose2d is a transposed convolution of images.
// Follows torch.nn.ConvTranspose2d.
type ConvTranspose2d struct{ ConvBase }

// NewConvTranspose2d makes a transposed convolution layer; in and out are its numbers of
// input and output channels. kernelSize is an int, or a slice of height and width. It
// panics with ErrValue for invalid sizes. Follows torch.nn.ConvTranspose2d.
func NewConvTranspose2d(in, out int64, kernelSize any, opts ...ConvTransposeOption) *ConvTranspose2d {
	l := new(ConvTranspose2d)
	l.buildTransposed(l, "NewConvTranspose2d", in, out, kernelSize, 2, opts)
	return l
}

// Forward takes x of shape (N, in, H, W) or (in, H, W). It panics with ErrShape or
// ErrDType if x has the wrong shape or dtype, and with ErrValue if the output padding is
// not smaller than the stride or the dilation.
func (l *ConvTranspose2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.runTransposed(2, x, l.OutputPadding)
	})
}

// ForwardWithOutputSize is Forward with an output size instead of an output padding.
// outputSize lists the spatial dimensions, or all dimensions. It panics with ErrValue
// for a size that the layer's settings cannot produce. Follows forward(x,
// output_size=outputSize).
func (l *ConvTranspose2d) ForwardWithOutputSize(x *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.runTransposed(2, x, l.outputPaddingFor("ConvTranspose2d", 2, x, outputSize))
	})
}

// ConvTranspose3d is a transposed convolution of volumes.
// Follows torch.nn.ConvTranspose3d.
type ConvTranspose3d struct{ ConvBase }

// NewConvTranspose3d makes a transposed convolution layer; in and out are its numbers of
// input and output channels. kernelSize is an int, or a slice of depth, height and width.
// It panics with ErrValue for invalid sizes. Follows torch.nn.ConvTranspose3d.
func NewConvTranspose3d(in, out int64, kernelSize any, opts ...ConvTransposeOption) *ConvTranspose3d {
	l := new(ConvTranspose3d)
	l.buildTransposed(l, "NewConvTranspose3d", in, out, kernelSize, 3, opts)
	return l
}

// Forward takes x of shape (N, in, D, H, W) or (in, D, H, W). It panics with ErrShape or
// ErrDType if x has the wrong shape or dtype, and with ErrValue if the output padding is
// not smaller than the stride or the dilation.
func (l *ConvTranspose3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.runTransposed(3, x, l.OutputPadding)
	})
}

// ForwardWithOutputSize is Forward with an output size instead of an output padding.
// outputSize lists the spatial dimensions, or all dimensions. It panics with ErrValue
// for a size that the layer's settings cannot produce. Follows forward(x,
// output_size=outputSize).
func (l *ConvTranspose3d) ForwardWithOutputSize(x *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.runTransposed(3, x, l.outputPaddingFor("ConvTranspose3d", 3, x, outputSize))
	})
}
