package nn

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// transposition is what the transposed convolutions of all dimensions share beside
// their parameters.
type transposition struct {
	kernel, stride, padding, extra, dilation []int64
	groups                                   int64
}

func (c *transposition) build(b *Base, op string, in, out int64, kernel any, n int, opts []ConvTransposeOption, weight, bias **torch.Tensor) {
	o := newConvOptions(n)
	for _, x := range opts {
		o.read(op, n, x)
	}
	k := opt.ReadSize(op, "kernelSize", kernel, n)
	o.check(op, in, out, k)
	*c = transposition{
		kernel: k, stride: slices.Clone(o.Stride[:n]), padding: slices.Clone(o.Padding[:n]), extra: slices.Clone(o.extra[:n]),
		dilation: slices.Clone(o.Dilation[:n]), groups: o.groups,
	}
	o.register(b, in, out, k, []int64{in, out / o.groups}, weight, bias)
}

// extraFor returns the output padding that leads to a size of the result.
func (c *transposition) extraFor(op string, x *torch.Tensor, size torch.Shape) []int64 {
	_ = x.HandleFor(op+"(input)", 0)
	n, shape := len(c.kernel), x.Shape()
	if len(shape) != n+1 && len(shape) != n+2 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected %d or %d dimensions, got size %v", n+1, n+2, shape)))
	}
	if len(size) != n && len(size) != len(shape) {
		panic(torch.NewError(op, torch.ErrValue, "outputSize", fmt.Sprintf("expected %d sizes or %d, got %v", n, len(shape), size)))
	}
	extra := make([]int64, n)
	for i := range n {
		least := (shape[len(shape)-n+i]-1)*c.stride[i] - 2*c.padding[i] + c.dilation[i]*(c.kernel[i]-1) + 1
		got := size[len(size)-n+i]
		if got < least || got > least+c.stride[i]-1 {
			panic(torch.NewError(op, torch.ErrValue, "outputSize", fmt.Sprintf(
				"expected a size from %d to %d in direction %d, got %v", least, least+c.stride[i]-1, i, size)))
		}
		extra[i] = got - least
	}
	return extra
}

type transposeFunc func(x, weight, bias *torch.Tensor, opts ...F.ConvTransposeOption) *torch.Tensor

func (c *transposition) run(f transposeFunc, x, weight, bias *torch.Tensor, extra []int64) *torch.Tensor {
	return f(x, weight, bias, F.Strides(c.stride), F.Paddings(c.padding), F.OutputPaddings(extra), F.Groups(c.groups), F.Dilations(c.dilation))
}

// ConvTranspose1d is a transposed convolution of sequences.
// Follows torch.nn.ConvTranspose1d.
type ConvTranspose1d struct {
	Base
	Weight *torch.Tensor // (in, out/groups, k)
	Bias   *torch.Tensor // (out), or nil
	c      transposition
}

// NewConvTranspose1d makes a transposed convolution from in to out channels.
// kernelSize is an int. It panics with ErrValue for sizes that do not fit and
// with ErrNil for a nil option. Follows torch.nn.ConvTranspose1d.
func NewConvTranspose1d(in, out int64, kernelSize any, opts ...ConvTransposeOption) *ConvTranspose1d {
	l := new(ConvTranspose1d)
	l.start(l)
	l.c.build(&l.Base, "NewConvTranspose1d", in, out, kernelSize, 1, opts, &l.Weight, &l.Bias)
	return l
}

// ResetParameters draws new values for Weight and Bias, as the constructor
// does.
func (l *ConvTranspose1d) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// Forward takes x of shape (N, in, L) or (in, L). It panics with ErrShape or
// ErrDType if x does not fit, and with ErrValue for an output padding that is not
// below the stride or the dilation.
func (l *ConvTranspose1d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.c.run(F.ConvTranspose1d, x, l.Weight, l.Bias, l.c.extra)
	})
}

// ForwardWithOutputSize is Forward for a size of the result: of its spatial
// dimensions, or of all. It takes the place of the output padding. It panics with
// ErrValue for a size that a convolution with the same options does not lead from.
// Follows forward(x, output_size=outputSize).
func (l *ConvTranspose1d) ForwardWithOutputSize(x *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.c.run(F.ConvTranspose1d, x, l.Weight, l.Bias, l.c.extraFor("ConvTranspose1d", x, outputSize))
	})
}

// ConvTranspose2d is a transposed convolution of images.
// Follows torch.nn.ConvTranspose2d.
type ConvTranspose2d struct {
	Base
	Weight *torch.Tensor // (in, out/groups, kh, kw)
	Bias   *torch.Tensor // (out), or nil
	c      transposition
}

// NewConvTranspose2d makes a transposed convolution from in to out channels.
// kernelSize is an int, or a slice of height and width. It panics with ErrValue
// for sizes that do not fit and with ErrNil for a nil option.
// Follows torch.nn.ConvTranspose2d.
func NewConvTranspose2d(in, out int64, kernelSize any, opts ...ConvTransposeOption) *ConvTranspose2d {
	l := new(ConvTranspose2d)
	l.start(l)
	l.c.build(&l.Base, "NewConvTranspose2d", in, out, kernelSize, 2, opts, &l.Weight, &l.Bias)
	return l
}

// ResetParameters draws new values for Weight and Bias, as the constructor
// does.
func (l *ConvTranspose2d) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// Forward takes x of shape (N, in, H, W) or (in, H, W). It panics with ErrShape or
// ErrDType if x does not fit, and with ErrValue for an output padding that is not
// below the stride or the dilation.
func (l *ConvTranspose2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.c.run(F.ConvTranspose2d, x, l.Weight, l.Bias, l.c.extra)
	})
}

// ForwardWithOutputSize is Forward for a size of the result: of its spatial
// dimensions, or of all. It takes the place of the output padding. It panics with
// ErrValue for a size that a convolution with the same options does not lead from.
// Follows forward(x, output_size=outputSize).
func (l *ConvTranspose2d) ForwardWithOutputSize(x *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.c.run(F.ConvTranspose2d, x, l.Weight, l.Bias, l.c.extraFor("ConvTranspose2d", x, outputSize))
	})
}

// ConvTranspose3d is a transposed convolution of volumes.
// Follows torch.nn.ConvTranspose3d.
type ConvTranspose3d struct {
	Base
	Weight *torch.Tensor // (in, out/groups, kd, kh, kw)
	Bias   *torch.Tensor // (out), or nil
	c      transposition
}

// NewConvTranspose3d makes a transposed convolution from in to out channels.
// kernelSize is an int, or a slice of depth, height and width. It panics with
// ErrValue for sizes that do not fit and with ErrNil for a nil option.
// Follows torch.nn.ConvTranspose3d.
func NewConvTranspose3d(in, out int64, kernelSize any, opts ...ConvTransposeOption) *ConvTranspose3d {
	l := new(ConvTranspose3d)
	l.start(l)
	l.c.build(&l.Base, "NewConvTranspose3d", in, out, kernelSize, 3, opts, &l.Weight, &l.Bias)
	return l
}

// ResetParameters draws new values for Weight and Bias, as the constructor
// does.
func (l *ConvTranspose3d) ResetParameters() { resetWeightAndBias(l.Weight, l.Bias) }

// Forward takes x of shape (N, in, D, H, W) or (in, D, H, W). It panics with
// ErrShape or ErrDType if x does not fit, and with ErrValue for an output
// padding that is not below the stride or the dilation.
func (l *ConvTranspose3d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.c.run(F.ConvTranspose3d, x, l.Weight, l.Bias, l.c.extra)
	})
}

// ForwardWithOutputSize is Forward for a size of the result: of its spatial
// dimensions, or of all. It takes the place of the output padding. It panics with
// ErrValue for a size that a convolution with the same options does not lead from.
// Follows forward(x, output_size=outputSize).
func (l *ConvTranspose3d) ForwardWithOutputSize(x *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.c.run(F.ConvTranspose3d, x, l.Weight, l.Bias, l.c.extraFor("ConvTranspose3d", x, outputSize))
	})
}
