package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A MaxUnpoolOption is [Stride], [Strides], [Padding], [Paddings] or [OutputSizes]. If
// the result can have several sizes, OutputSizes selects one. It lists the spatial
// dimensions, or all dimensions.
type MaxUnpoolOption interface{ opt.MaxUnpoolFunc }

// unpoolArgs holds the parsed kernel size and MaxUnpoolOptions.
type unpoolArgs struct {
	opt.Window
	kernel      opt.Dims
	outputSizes [5]int64 // OutputSizes
	sizeCount   int      // the number of OutputSizes
	size        opt.Dims // the size of the result
}

func (a *unpoolArgs) read(op string, n int, input, indices *torch.Tensor, kernelSize any, opts []MaxUnpoolOption) {
	a.kernel.Read(op, "kernelSize", n, kernelSize)
	a.Stride = a.kernel
	for _, o := range opts {
		switch o := o.(type) {
		case OutputSizes:
			if len(o) != n && len(o) != n+2 {
				panic(torch.NewError(op, torch.ErrValue, "OutputSizes",
					fmt.Sprintf("expected %d or %d numbers, got %d", n, n+2, len(o))))
			}
			a.sizeCount = copy(a.outputSizes[:], o)
		default:
			if !a.Window.Take(op, n, o) {
				panic(opt.Unknown(op, o))
			}
		}
	}
	_, _ = input.HandleFor(op, 0), indices.HandleFor(op, 1)
	if d := input.Dim(); d != int64(n+1) && d != int64(n+2) {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %d or %d dimensions, got size %v", n+1, n+2, input.Shape())))
	}
	for i := range n {
		stride := a.Stride[i]
		a.size[i] = (input.Size(int64(i-n))-1)*stride + a.kernel[i] - 2*a.Padding[i]
		if a.sizeCount == 0 {
			continue
		}
		given := a.outputSizes[a.sizeCount-n+i]
		if given <= a.size[i]-stride || given >= a.size[i]+stride {
			panic(torch.NewError(op, torch.ErrValue, "OutputSizes", fmt.Sprintf(
				"expected a size between %d and %d in spatial dimension %d, got %d", a.size[i]-stride, a.size[i]+stride,
				i, given)))
		}
		a.size[i] = given
	}
}

// MaxUnpool1d puts the values of input, of shape (N, C, L) or (C, L), back at the
// positions that [MaxPool1dWithIndices] returned, with zeros elsewhere. kernelSize is an
// int; Stride defaults to it. It panics with ErrShape for tensors that do not match, with
// ErrDType for indices that are not int64, with ErrValue for an output size that is not
// possible, and with an error for indices outside the result. Follows
// torch.nn.functional.max_unpool1d.
func MaxUnpool1d(input, indices *torch.Tensor, kernelSize any, opts ...MaxUnpoolOption) *torch.Tensor {
	const op, n = "MaxUnpool1d(input, indices)", 1
	var a unpoolArgs
	a.read(op, n, input, indices, kernelSize, opts)
	size := []int64{a.size[0], 1}
	return torch.Tidy(func() *torch.Tensor {
		planes, at := input.Unsqueeze(-1), indices.Unsqueeze(-1)
		h, i := planes.HandleFor(op, 0), at.HandleFor(op, 1)
		r := torch.BeginRaw(op, planes, at)
		return r.Tensor(aten.MaxUnpool2d(r.Ctx, h, i, size)).Squeeze(-1)
	})
}

// MaxUnpool2d is [MaxUnpool1d] for [MaxPool2dWithIndices] and an input of shape
// (N, C, H, W) or (C, H, W). kernelSize is an int or a slice of two.
// Follows torch.nn.functional.max_unpool2d.
func MaxUnpool2d(input, indices *torch.Tensor, kernelSize any, opts ...MaxUnpoolOption) *torch.Tensor {
	const op, n = "MaxUnpool2d(input, indices)", 2
	var a unpoolArgs
	a.read(op, n, input, indices, kernelSize, opts)
	h, i := input.HandleFor(op, 0), indices.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, indices)
	return r.Tensor(aten.MaxUnpool2d(r.Ctx, h, i, a.size[:n]))
}

// MaxUnpool3d is [MaxUnpool1d] for [MaxPool3dWithIndices] and an input of shape
// (N, C, D, H, W) or (C, D, H, W). kernelSize is an int or a slice of three.
// Follows torch.nn.functional.max_unpool3d.
func MaxUnpool3d(input, indices *torch.Tensor, kernelSize any, opts ...MaxUnpoolOption) *torch.Tensor {
	const op, n = "MaxUnpool3d(input, indices)", 3
	var a unpoolArgs
	a.read(op, n, input, indices, kernelSize, opts)
	h, i := input.HandleFor(op, 0), indices.HandleFor(op, 1)
	r := torch.BeginRaw(op, input, indices)
	return r.Tensor(aten.MaxUnpool3d(r.Ctx, h, i, a.size[:n], a.Stride[:n], a.Padding[:n]))
}
