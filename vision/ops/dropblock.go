package ops

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

type (
	// A DropBlockFuncOption is an option of [ApplyDropBlock2d] and [ApplyDropBlock3d]: [Inplace],
	// [Eps] or [Training].
	//
	//gotorch:options Inplace Eps Training
	DropBlockFuncOption interface{ dropBlockFuncOption() }
	// A DropBlockOption is an option of [NewDropBlock2d] and [NewDropBlock3d]: [Inplace] or [Eps].
	//
	//gotorch:options Inplace Eps
	DropBlockOption interface{ dropBlockOption() }
)

// Training says whether blocks are dropped. Without it, a function returns its input. The default is
// true.
type Training bool

// dropBlock contains the settings of a DropBlock.
type dropBlock struct {
	p         float64
	blockSize int64
	inplace   bool
	eps       float64
	training  bool
}

func (d *dropBlock) read(op string, opts []DropBlockFuncOption) {
	d.eps, d.training = 1e-6, true
	for _, o := range opts {
		switch o := o.(type) {
		case Inplace:
			d.inplace = bool(o)
		case Eps:
			d.eps = float64(o)
		case Training:
			d.training = bool(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
}

func (d *dropBlock) checkP(op string) {
	if !(d.p >= 0 && d.p <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "p", fmt.Sprintf("expected a probability from 0 to 1, got %v", d.p)))
	}
}

// apply drops blocks of an input with n dimensions after the channels.
func (d *dropBlock) apply(op string, n int64, input *torch.Tensor) *torch.Tensor {
	d.checkP(op)
	input.HandleFor(op, 0)
	if input.Dim() != n+2 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d dimensions, got shape %v", n+2, input.Shape())))
	}
	if !d.training || d.p == 0 {
		return input
	}
	size := input.Shape()
	block := min(d.blockSize, slices.Min(size[2:]))
	if block%2 == 0 || block < 1 {
		panic(torch.NewError(op, torch.ErrValue, "blockSize", fmt.Sprintf("expected an odd size, got %d", block)))
	}
	work := func() *torch.Tensor {
		seeds := slices.Clone(size)
		all, places, blockNumel := d.p, 1.0, 1.0
		for i, s := range size[2:] {
			seeds[2+i] = s - block + 1
			all *= float64(s)
			places *= float64(s - block + 1)
			blockNumel *= float64(block)
		}
		noise := torch.Empty(seeds, input.DType(), input.Device()).Bernoulli_(min(1, all/(blockNumel*places)))
		noise = F.Pad(noise, slices.Repeat([]int64{block / 2}, int(2*n)), F.Value(0))
		pool := F.MaxPool2d
		if n == 3 {
			pool = F.MaxPool3d
		}
		noise = pool(noise, block, F.Stride(1), F.Padding(block/2)).RSubScalar(1)
		scale := noise.Sum().AddScalar(d.eps).Reciprocal().MulScalar(noise.Numel())
		if d.inplace {
			return input.Mul_(noise).Mul_(scale)
		}
		return input.Mul(noise).Mul(scale)
	}
	return torch.Tidy(work)
}

// ApplyDropBlock2d sets square blocks of images to zero and scales up the rest. input has shape (N, C,
// H, W) and a floating-point dtype. p is the probability with which an element is dropped, and
// blockSize the side of a block, an odd number. [Eps] is 1e-6 by default. It draws random numbers from
// the default generator of input's device. Without [Training], or if p is 0, it returns input, and with
// [Inplace] it changes input. It panics with ErrValue for other p and blockSize, and with ErrShape for
// other shapes. Follows torchvision.ops.drop_block2d.
func ApplyDropBlock2d(input *torch.Tensor, p float64, blockSize int64, opts ...DropBlockFuncOption) *torch.Tensor {
	const op = "ops.ApplyDropBlock2d(input)"
	d := dropBlock{p: p, blockSize: blockSize}
	d.read(op, opts)
	return d.apply(op, 2, input)
}

// ApplyDropBlock3d is [ApplyDropBlock2d] for volumes of shape (N, C, D, H, W). Follows
// torchvision.ops.drop_block3d.
func ApplyDropBlock3d(input *torch.Tensor, p float64, blockSize int64, opts ...DropBlockFuncOption) *torch.Tensor {
	const op = "ops.ApplyDropBlock3d(input)"
	d := dropBlock{p: p, blockSize: blockSize}
	d.read(op, opts)
	return d.apply(op, 3, input)
}

// DropBlockBase contains the settings of [DropBlock2d] and [DropBlock3d].
type DropBlockBase struct {
	nn.Base
	P         float64
	BlockSize int64
	Inplace   bool
	Eps       float64
}

// DropBlock2d is [ApplyDropBlock2d] as a layer. Follows torchvision.ops.DropBlock2d.
type DropBlock2d struct{ DropBlockBase }

// DropBlock3d is [ApplyDropBlock3d] as a layer. Follows torchvision.ops.DropBlock3d.
type DropBlock3d struct{ DropBlockBase }

// NewDropBlock2d returns a DropBlock2d. [Eps] is 1e-6 by default. It panics with ErrValue if p is not
// from 0 to 1, and with ErrNil for a nil option.
func NewDropBlock2d(p float64, blockSize int64, opts ...DropBlockOption) *DropBlock2d {
	l := new(DropBlock2d)
	l.set("ops.NewDropBlock2d", p, blockSize, opts)
	l.Init(l)
	return l
}

// NewDropBlock3d returns a DropBlock3d. [Eps] is 1e-6 by default. It panics with ErrValue if p is not
// from 0 to 1, and with ErrNil for a nil option.
func NewDropBlock3d(p float64, blockSize int64, opts ...DropBlockOption) *DropBlock3d {
	l := new(DropBlock3d)
	l.set("ops.NewDropBlock3d", p, blockSize, opts)
	l.Init(l)
	return l
}

func (l *DropBlockBase) set(op string, p float64, blockSize int64, opts []DropBlockOption) {
	l.P, l.BlockSize, l.Eps = p, blockSize, 1e-6
	for _, o := range opts {
		switch o := o.(type) {
		case Inplace:
			l.Inplace = bool(o)
		case Eps:
			l.Eps = float64(o)
		default:
			panic(torch.BadOption(op, o))
		}
	}
	d := dropBlock{p: p}
	d.checkP(op)
}

func (l *DropBlockBase) settings() *dropBlock {
	return &dropBlock{p: l.P, blockSize: l.BlockSize, inplace: l.Inplace, eps: l.Eps, training: l.Training()}
}

// Forward is [ApplyDropBlock2d] with the layer's settings. In evaluation it returns x.
func (l *DropBlock2d) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().apply("ops.DropBlock2d.Forward(input)", 2, x)
	})
}

// Forward is [ApplyDropBlock3d] with the layer's settings. In evaluation it returns x.
func (l *DropBlock3d) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().apply("ops.DropBlock3d.Forward(input)", 3, x)
	})
}

// String returns the layer with its settings, formatted as in Python.
func (l *DropBlockBase) String() string {
	inplace := "False"
	if l.Inplace {
		inplace = "True"
	}
	return fmt.Sprintf("%s(p=%s, block_size=%d, inplace=%s)", l.TypeName(), tensorfmt.PyFloat(l.P), l.BlockSize,
		inplace)
}
