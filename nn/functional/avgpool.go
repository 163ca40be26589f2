package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// An AvgPoolOption is an option of the average pooling functions: [Stride], [Strides],
// [Padding], [Paddings], [CeilMode], [CountIncludePad] or [DivisorOverride].
type AvgPoolOption interface{ opt.AvgPoolFunc }

// An AvgPool1dOption is [Stride], [Strides], [Padding], [Paddings], [CeilMode] or
// [CountIncludePad].
type AvgPool1dOption interface{ opt.AvgPool1dFunc }

// avgPoolArgs holds the parsed kernel size and options of an average pooling function.
type avgPoolArgs struct {
	opt.Window
	kernel         opt.Dims
	ceil, countPad bool
	hasDivisor     bool
	divisor        int64
}

func (a *avgPoolArgs) start(op string, n int, kernelSize any) {
	a.kernel.Read(op, "kernelSize", n, kernelSize)
	a.Stride = a.kernel
	a.Dilation.Set(n, 1)
	a.countPad = true
}

func (a *avgPoolArgs) readOption(op string, n int, o any) {
	switch o := o.(type) {
	case CeilMode:
		a.ceil = bool(o)
	case CountIncludePad:
		a.countPad = bool(o)
	case DivisorOverride:
		a.hasDivisor, a.divisor = true, int64(o)
	default:
		if !a.Window.Take(op, n, o) {
			panic(opt.Unknown(op, o))
		}
	}
}

func (a *avgPoolArgs) mustFit(op string, n int) {
	if a.hasDivisor && a.divisor == 0 {
		panic(torch.NewError(op, torch.ErrValue, "DivisorOverride", "expected a number that is not 0, got 0"))
	}
	mustFitWindows(op, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.Dilation[:n])
}

func (a *avgPoolArgs) read(op string, n int, kernelSize any, opts []AvgPoolOption) {
	a.start(op, n, kernelSize)
	for _, o := range opts {
		a.readOption(op, n, o)
	}
	a.mustFit(op, n)
}

// AvgPool1d returns the mean of each window of input, of shape (N, C, L) or (C, L).
// kernelSize is an int. It panics as [MaxPool1d] does.
// Follows torch.nn.functional.avg_pool1d.
func AvgPool1d(input *torch.Tensor, kernelSize any, opts ...AvgPool1dOption) *torch.Tensor {
	const op, n = "AvgPool1d(input)", 1
	var a avgPoolArgs
	a.start(op, n, kernelSize)
	for _, o := range opts {
		a.readOption(op, n, o)
	}
	a.mustFit(op, n)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AvgPool1d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.ceil, a.countPad))
}

// AvgPool2d returns the mean of each window of input, of shape (N, C, H, W) or (C, H,
// W). kernelSize is an int or a slice of two. It panics as [MaxPool1d] does.
// Follows torch.nn.functional.avg_pool2d.
func AvgPool2d(input *torch.Tensor, kernelSize any, opts ...AvgPoolOption) *torch.Tensor {
	const op, n = "AvgPool2d(input)", 2
	var a avgPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AvgPool2d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.ceil, a.countPad,
		orNil(a.hasDivisor, &a.divisor)))
}

// AvgPool3d returns the mean of each window of input, of shape (N, C, D, H, W) or (C,
// D, H, W). kernelSize is an int or a slice of three. It panics as [MaxPool1d] does.
// Follows torch.nn.functional.avg_pool3d.
func AvgPool3d(input *torch.Tensor, kernelSize any, opts ...AvgPoolOption) *torch.Tensor {
	const op, n = "AvgPool3d(input)", 3
	var a avgPoolArgs
	a.read(op, n, kernelSize, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.AvgPool3d(r.Ctx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.ceil, a.countPad,
		orNil(a.hasDivisor, &a.divisor)))
}

// An LPPoolOption is [Stride], [Strides] or [CeilMode].
type LPPoolOption interface{ opt.LPPoolFunc }

func lpPool(op string, n int, input *torch.Tensor, normType float64, kernelSize any,
	opts []LPPoolOption,
) *torch.Tensor {
	var a avgPoolArgs
	a.start(op, n, kernelSize)
	for _, o := range opts {
		a.readOption(op, n, o)
	}
	a.mustFit(op, n)
	if normType == 0 {
		panic(torch.NewError(op, torch.ErrValue, "normType", "expected a number that is not 0, got 0"))
	}
	size := 1.0
	for _, k := range a.kernel[:n] {
		size *= float64(k)
	}
	return torch.Tidy(func() *torch.Tensor {
		// then applies f to x and frees x.
		then := func(x *torch.Tensor, f func(cx abi.Ctx, h abi.Tensor) abi.Ret) *torch.Tensor {
			y := unary(op, f, x)
			_ = x.Close()
			return y
		}
		power := unary(op,
			func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PowTensorScalar(cx, h, float(normType)) }, input)
		mean := then(power, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
			switch n {
			case 1:
				return aten.AvgPool1d(cx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.ceil, a.countPad)
			case 2:
				return aten.AvgPool2d(cx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.ceil, a.countPad, nil)
			}
			return aten.AvgPool3d(cx, h, a.kernel[:n], a.Stride[:n], a.Padding[:n], a.ceil, a.countPad, nil)
		})
		sign := unary(op, aten.Sign, mean)
		abs := then(mean, aten.Abs)
		above := then(abs, aten.Relu)
		signed := binary(op, aten.MulTensor, sign, above)
		_, _ = sign.Close(), above.Close()
		sum := then(signed, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.MulScalar(cx, h, float(size)) })
		return then(sum,
			func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PowTensorScalar(cx, h, float(1/normType)) })
	})
}

// LPPool1d returns the normType-norm of each window of input, of shape (N, C, L) or (C,
// L). kernelSize is an int; Stride defaults to it. The gradient is 0 where the sum of a
// window is 0. It panics as [MaxPool1d] does, and with ErrValue for a normType of 0.
// Follows torch.nn.functional.lp_pool1d.
func LPPool1d(input *torch.Tensor, normType float64, kernelSize any, opts ...LPPoolOption) *torch.Tensor {
	return lpPool("LPPool1d(input)", 1, input, normType, kernelSize, opts)
}

// LPPool2d returns the normType-norm of each window of input, of shape (N, C, H, W) or
// (C, H, W). kernelSize is an int or a slice of two; Stride defaults to it. It panics
// as [LPPool1d] does. Follows torch.nn.functional.lp_pool2d.
func LPPool2d(input *torch.Tensor, normType float64, kernelSize any, opts ...LPPoolOption) *torch.Tensor {
	return lpPool("LPPool2d(input)", 2, input, normType, kernelSize, opts)
}

// LPPool3d returns the normType-norm of each window of input, of shape (N, C, D, H, W)
// or (C, D, H, W). kernelSize is an int or a slice of three; Stride defaults to it. It
// panics as [LPPool1d] does. Follows torch.nn.functional.lp_pool3d.
func LPPool3d(input *torch.Tensor, normType float64, kernelSize any, opts ...LPPoolOption) *torch.Tensor {
	return lpPool("LPPool3d(input)", 3, input, normType, kernelSize, opts)
}
