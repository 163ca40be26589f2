package functional

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A SoftmaxOption is an option of [Softmax], [LogSoftmax] and [Softmin]: a [DType]
// for the computation and the result.
type SoftmaxOption interface{ opt.SoftmaxFunc }

// readDType returns libtorch's number of the dtype in opts, or -1 without a dtype.
func readDType(op string, opts []SoftmaxOption) int8 {
	return torch.DType(opt.Read(op, opts, DType(0))).Code()
}

// Softmax returns exp(input) divided by its sum along dim. It panics with ErrIndex
// for a dimension that input does not have, and with ErrDType for integers, unless a
// DType converts them. Follows torch.nn.functional.softmax.
func Softmax(input *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "Softmax(input)"
	dtype := readDType(op, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.SoftmaxInt(r.Ctx, h, dim, dtype))
}

// LogSoftmax returns the logarithm of [Softmax], computed without losing precision.
// It panics as Softmax does. Follows torch.nn.functional.log_softmax.
func LogSoftmax(input *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "LogSoftmax(input)"
	dtype := readDType(op, opts)
	h := input.HandleFor(op, 0)
	r := torch.BeginRaw(op, input)
	return r.Tensor(aten.LogSoftmaxInt(r.Ctx, h, dim, dtype))
}

// Softmin is [Softmax] of -input. It panics as Softmax does.
// Follows torch.nn.functional.softmin.
func Softmin(input *torch.Tensor, dim int64, opts ...SoftmaxOption) *torch.Tensor {
	const op = "Softmin(input)"
	dtype := readDType(op, opts)
	return unaryClosing(op, unary(op, aten.Neg, input),
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SoftmaxInt(cx, h, dim, dtype) })
}

// A GumbelSoftmaxOption is [Tau], [Hard] or [Dim].
type GumbelSoftmaxOption interface{ opt.GumbelSoftmaxFunc }

// GumbelSoftmax draws from the Gumbel-Softmax distribution. It adds noise to
// floating-point logits, divides by [Tau], 1 by default, and returns the Softmax along
// [Dim], by default the last dimension. With [Hard] the result is one-hot, and its
// gradient is the gradient of the soft result. Random numbers come from the device's
// default generator in PyTorch's order. It panics with ErrIndex for a dimension that
// logits does not have and with ErrDType for integers. Follows
// torch.nn.functional.gumbel_softmax, without its eps argument, which has no effect.
func GumbelSoftmax(logits *torch.Tensor, opts ...GumbelSoftmaxOption) *torch.Tensor {
	const op = "GumbelSoftmax(logits)"
	tau, hard, dim := opt.Read3(op, opts, Tau(1), Hard(false), Dim(-1))
	noise := gumbelNoise(op, logits)
	noisy := func() *torch.Tensor {
		defer func() { _ = noise.Close() }()
		return binary(op, addTensor, logits, noise)
	}()
	scaled := unaryClosing(op, noisy,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.DivScalar(cx, h, float(tau)) })
	soft := unaryClosing(op, scaled,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.SoftmaxInt(cx, h, int64(dim), -1) })
	if !hard {
		return soft
	}
	defer func() { _ = soft.Close() }()
	return straightThrough(op, soft, int64(dim))
}

func addTensor(cx abi.Ctx, a, b abi.Tensor) abi.Ret { return aten.AddTensor(cx, a, b, integer(1)) }
func subTensor(cx abi.Ctx, a, b abi.Tensor) abi.Ret { return aten.SubTensor(cx, a, b, integer(1)) }

// contiguousFormat is libtorch's number of the contiguous memory format.
const contiguousFormat = 0

// gumbelNoise returns Gumbel noise of the shape of x.
func gumbelNoise(op string, x *torch.Tensor) *torch.Tensor {
	noise := unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.EmptyLike(cx, h, -1, -1, -1, nil, contiguousFormat)
	}, x)
	returned := false
	defer func() {
		if !returned {
			_ = noise.Close()
		}
	}()
	unary_(op, func(cx abi.Ctx, h abi.Tensor) abi.Status { return aten.Exponential_(cx, h, 1, 0) }, noise)
	unary_(op, aten.Log_, noise)
	unary_(op, aten.Neg_, noise)
	returned = true
	return noise
}

// straightThrough returns 1 at the largest element along dim and 0 elsewhere, with
// the gradient of soft.
func straightThrough(op string, soft *torch.Tensor, dim int64) *torch.Tensor {
	plain := soft.Detach()
	defer func() { _ = plain.Close() }()
	hard := oneHotMax(op, plain, dim)
	return binaryClosing(op, binaryClosing(op, hard, plain, subTensor), soft, addTensor)
}

// oneHotMax returns 1 at the largest element of x along dim and 0 elsewhere.
func oneHotMax(op string, x *torch.Tensor, dim int64) *torch.Tensor {
	h := x.HandleFor(op, 0)
	r := torch.BeginRaw(op, x)
	max, st := aten.MaxDim(r.Ctx, h, dim, true)
	r.Status(st)
	_ = r.Wrap(max[0]).Close()
	index := r.Wrap(max[1])
	defer func() { _ = index.Close() }()
	hard := unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.ZerosLike(cx, h, -1, -1, -1, nil, contiguousFormat)
	}, x)
	to, at := hard.HandleFor(op, 0), index.HandleFor(op, 0)
	r = torch.BeginRaw(op, hard, index)
	r.Status(aten.Scatter_Value(r.Ctx, to, dim, at, integer(1)))
	return hard
}

// binaryClosing calls binary and closes x, which must not be used afterwards.
func binaryClosing(op string, x, y *torch.Tensor, f func(_ abi.Ctx, _, _ abi.Tensor) abi.Ret) *torch.Tensor {
	defer func() { _ = x.Close() }()
	return binary(op, f, x, y)
}
