package nn

import (
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

func (b *PoolBase) maxUnpool(self Module, op string, n int, kernelSize any, opts []MaxUnpoolOption) {
	var p poolOptions
	p.start(op, n, kernelSize)
	for _, o := range opts {
		p.read(op, o)
	}
	b.setOptions(self, &p)
}

// MaxUnpool1d puts the values of [MaxPool1d] back at their positions.
// Follows torch.nn.MaxUnpool1d.
type MaxUnpool1d struct{ PoolBase }

func (l *MaxUnpool1d) describe() string { return l.describeWindows(true) }

// NewMaxUnpool1d makes the inverse of a pooling layer with windows of size kernelSize, an
// int. The default [Stride] is kernelSize. It panics with ErrType or ErrValue for invalid
// sizes. Follows torch.nn.MaxUnpool1d.
func NewMaxUnpool1d(kernelSize any, opts ...MaxUnpoolOption) *MaxUnpool1d {
	l := new(MaxUnpool1d)
	l.maxUnpool(l, "NewMaxUnpool1d", 1, kernelSize, opts)
	return l
}

// Forward takes the results of MaxPool1d.ForwardWithIndices: x of shape (N, C, L) or
// (C, L), and int64 indices of the same shape. It panics as F.MaxUnpool1d does.
func (l *MaxUnpool1d) Forward(x, indices *torch.Tensor) *torch.Tensor {
	return callLayer2(l, x, indices, func(x, i *torch.Tensor) *torch.Tensor {
		return F.MaxUnpool1d(x, i, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding))
	})
}

// ForwardWithOutputSize is Forward with an explicit output size: the spatial
// dimensions, or all dimensions. Follows forward(x, indices, output_size=outputSize).
func (l *MaxUnpool1d) ForwardWithOutputSize(x, indices *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return callLayer2(l, x, indices, func(x, i *torch.Tensor) *torch.Tensor {
		return F.MaxUnpool1d(x, i, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding),
			F.OutputSizes(outputSize))
	})
}

// MaxUnpool2d puts the values of [MaxPool2d] back at their positions.
// Follows torch.nn.MaxUnpool2d.
type MaxUnpool2d struct{ PoolBase }

func (l *MaxUnpool2d) describe() string { return l.describeWindows(true) }

// NewMaxUnpool2d makes the inverse of a pooling layer with windows of size kernelSize, an
// int or a slice of height and width. The default [Stride] is kernelSize. It panics with
// ErrType or ErrValue for invalid sizes. Follows torch.nn.MaxUnpool2d.
func NewMaxUnpool2d(kernelSize any, opts ...MaxUnpoolOption) *MaxUnpool2d {
	l := new(MaxUnpool2d)
	l.maxUnpool(l, "NewMaxUnpool2d", 2, kernelSize, opts)
	return l
}

// Forward takes the results of MaxPool2d.ForwardWithIndices: x of shape (N, C, H, W)
// or (C, H, W), and int64 indices of the same shape. It panics as F.MaxUnpool2d does.
func (l *MaxUnpool2d) Forward(x, indices *torch.Tensor) *torch.Tensor {
	return callLayer2(l, x, indices, func(x, i *torch.Tensor) *torch.Tensor {
		return F.MaxUnpool2d(x, i, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding))
	})
}

// ForwardWithOutputSize is Forward with an explicit output size: the spatial
// dimensions, or all dimensions. Follows forward(x, indices, output_size=outputSize).
func (l *MaxUnpool2d) ForwardWithOutputSize(x, indices *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return callLayer2(l, x, indices, func(x, i *torch.Tensor) *torch.Tensor {
		return F.MaxUnpool2d(x, i, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding),
			F.OutputSizes(outputSize))
	})
}

// MaxUnpool3d puts the values of [MaxPool3d] back at their positions.
// Follows torch.nn.MaxUnpool3d.
type MaxUnpool3d struct{ PoolBase }

func (l *MaxUnpool3d) describe() string { return l.describeWindows(true) }

// NewMaxUnpool3d makes the inverse of a pooling layer with windows of size kernelSize, an
// int or a slice of depth, height and width. The default [Stride] is kernelSize. It
// panics with ErrType or ErrValue for invalid sizes. Follows torch.nn.MaxUnpool3d.
func NewMaxUnpool3d(kernelSize any, opts ...MaxUnpoolOption) *MaxUnpool3d {
	l := new(MaxUnpool3d)
	l.maxUnpool(l, "NewMaxUnpool3d", 3, kernelSize, opts)
	return l
}

// Forward takes the results of MaxPool3d.ForwardWithIndices: x of shape (N, C, D, H,
// W) or (C, D, H, W), and int64 indices of the same shape. It panics as F.MaxUnpool3d
// does.
func (l *MaxUnpool3d) Forward(x, indices *torch.Tensor) *torch.Tensor {
	return callLayer2(l, x, indices, func(x, i *torch.Tensor) *torch.Tensor {
		return F.MaxUnpool3d(x, i, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding))
	})
}

// ForwardWithOutputSize is Forward with an explicit output size: the spatial
// dimensions, or all dimensions. Follows forward(x, indices, output_size=outputSize).
func (l *MaxUnpool3d) ForwardWithOutputSize(x, indices *torch.Tensor, outputSize torch.Shape) *torch.Tensor {
	return callLayer2(l, x, indices, func(x, i *torch.Tensor) *torch.Tensor {
		return F.MaxUnpool3d(x, i, []int64(l.KernelSize), F.Strides(l.Stride), F.Paddings(l.Padding),
			F.OutputSizes(outputSize))
	})
}
