package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A LocalResponseNormOption is [Alpha], [Beta] or [K].
type LocalResponseNormOption interface{ opt.LocalResponseNormFunc }

// LocalResponseNorm divides each element of input, of shape (N, C, *), by (K + Alpha
// * mean) ** Beta, where mean is the mean square over size neighboring channels. By
// default [Alpha] is 1e-4, [Beta] 0.75 and [K] 1. The result has input's shape. For
// input without elements it is a new handle that shares input's memory. It panics
// with ErrShape for fewer than three dimensions and with ErrValue unless size is
// positive. Follows torch.nn.functional.local_response_norm.
func LocalResponseNorm(input *torch.Tensor, size int64, opts ...LocalResponseNormOption) *torch.Tensor {
	const op = "LocalResponseNorm(input)"
	alpha, beta, k := opt.Read3(op, opts, Alpha(1e-4), Beta(0.75), K(1))
	input.HandleFor(op, 0)
	shape := input.Shape()
	if len(shape) < 3 {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected 3 dimensions or more, got size %v", shape)))
	}
	if size < 1 {
		panic(torch.NewError(op, torch.ErrValue, "size", fmt.Sprintf("expected a positive number, got %d", size)))
	}
	if shape.Numel() == 0 {
		return unary(op, aten.Alias, input)
	}
	means := channelMeans(op, binary(op, aten.MulTensor, input, input), shape, size)
	means = unaryClosing(op, means,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.MulScalar(cx, h, float(alpha)) })
	means = unaryClosing(op, means,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.AddScalar(cx, h, float(k), integer(1)) })
	means = unaryClosing(op, means,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PowTensorScalar(cx, h, float(beta)) })
	defer func() { _ = means.Close() }()
	return binary(op, aten.DivTensor, input, means)
}

// channelMeans returns the mean over size neighboring channels, padded with zeros.
// It closes x.
func channelMeans(op string, x *torch.Tensor, shape torch.Shape, size int64) *torch.Tensor {
	if len(shape) == 3 {
		x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Unsqueeze(cx, h, 1) })
		x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.ConstantPadNd(cx, h, []int64{0, 0, size / 2, (size - 1) / 2}, float(0.0))
		})
		x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			return aten.AvgPool2d(cx, h, []int64{size, 1}, []int64{1}, []int64{0}, false, true, nil)
		})
		return unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SqueezeDim(cx, h, 1) })
	}
	x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.View(cx, h, []int64{shape[0], 1, shape[1], shape[2], -1})
	})
	x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ConstantPadNd(cx, h, []int64{0, 0, 0, 0, size / 2, (size - 1) / 2}, float(0.0))
	})
	x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.AvgPool3d(cx, h, []int64{size, 1, 1}, []int64{1}, []int64{0}, false, true, nil)
	})
	x = unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SqueezeDim(cx, h, 1) })
	return unaryClosing(op, x, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.View(cx, h, shape) })
}
