package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// PoissonNLLLoss returns the negative log likelihood of counts under a Poisson
// distribution. input is the logarithm of the rate, and the loss is exp(input) -
// target*input. With LogInput(false), input is the rate, and the loss is input -
// target*log(input + [Eps]); Eps is 1e-8 by default. [Full] adds Stirling's
// approximation of log(target!) where target is above 1. input and target broadcast.
// The result is the mean as a scalar, or another [Reduction]; with ReductionNone it has
// the broadcast shape. It panics with ErrShape for sizes that do not broadcast.
// Follows torch.nn.functional.poisson_nll_loss.
func PoissonNLLLoss(input, target *torch.Tensor, opts ...PoissonNLLLossOption) *torch.Tensor {
	const op = "PoissonNLLLoss(input, target)"
	log, full, eps, red := opt.Read4(op, opts, LogInput(true), Full(false), Eps(1e-8), ReductionMean)
	return elementwise(op, func(cx abi.Ctx, x, y abi.Tensor, red int64) abi.Ret {
		return aten.PoissonNllLoss(cx, x, y, bool(log), bool(full), float64(eps), red)
	}, input, target, red)
}

// gaussianNLL returns the parsed options of the Gaussian losses.
func gaussianNLL(op string, opts []GaussianNLLLossOption) (full bool, eps float64, red Reduction) {
	f, e, red := opt.Read3(op, opts, Full(false), Eps(1e-6), ReductionMean)
	return bool(f), float64(e), red
}

// GaussianNLLLoss returns the negative log likelihood of target under normal
// distributions with mean input and the given variance: (log(variance) +
// (input-target)^2/variance) / 2. [Full] adds log(2*pi)/2. Variances below [Eps], 1e-6 by
// default, are raised to Eps; the gradient ignores this.
//
// variance has input's shape, or that shape without the last dimension or with one
// dimension of size 1. The result is the mean as a scalar, or another [Reduction]; with
// ReductionNone it has the broadcast shape. It panics with ErrValue for a negative
// variance and with ErrShape for sizes that do not match. Follows
// torch.nn.functional.gaussian_nll_loss.
func GaussianNLLLoss(input, target, variance *torch.Tensor, opts ...GaussianNLLLossOption) *torch.Tensor {
	const op = "GaussianNLLLoss(input, target, variance)"
	full, eps, red := gaussianNLL(op, opts)
	mustBeUsable(op, input, target, variance)
	code := reductionCode(op, red)
	return torch.Tidy(func() *torch.Tensor {
		v := varianceFor(op, input, variance)
		torch.NoGrad(func() { v.ClampMin_(eps) })
		return gaussianLoss(op, input, target, v, full, code)
	})
}

// GaussianNLLLossScalar is [GaussianNLLLoss] with one variance for all elements. It
// panics with ErrValue if the variance is negative.
// Follows torch.nn.functional.gaussian_nll_loss with a number for var.
func GaussianNLLLossScalar(input, target *torch.Tensor, variance float64, opts ...GaussianNLLLossOption) *torch.Tensor {
	const op = "GaussianNLLLossScalar(input, target)"
	full, eps, red := gaussianNLL(op, opts)
	input.HandleFor(op, 0)
	target.HandleFor(op, 1)
	code := reductionCode(op, red)
	if variance < 0 {
		panic(torch.NewError(op, torch.ErrValue, "variance",
			fmt.Sprintf("expected a number that is not negative, got %v", variance)))
	}
	return torch.Tidy(func() *torch.Tensor {
		ones := torch.OnesLike(input)
		v := closeInputs(ones.MulScalar(variance), ones)
		v.ClampMin_(eps)
		return gaussianLoss(op, input, target, v, full, code)
	})
}

// varianceFor returns a copy of variance that broadcasts with input.
func varianceFor(op string, input, variance *torch.Tensor) *torch.Tensor {
	negative := variance.LtScalar(0)
	if closeInputs(negative.Any(), negative).ItemBool() {
		panic(torch.NewError(op, torch.ErrValue, "variance", "has a negative element"))
	}
	a, b := input.Shape(), variance.Shape()
	switch {
	case a.Equal(b):
	case len(a) == len(b)+1 && a[:len(b)].Equal(b):
		column := variance.Unsqueeze(-1)
		return closeInputs(column.Clone(), column)
	default:
		differ := 0
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				differ++
			}
		}
		if len(a) != len(b) || differ != 1 {
			panic(torch.NewError(op, torch.ErrShape, "variance",
				fmt.Sprintf("expected the input's size %[2]v, this size without the last dimension, or with size 1 in "+
					"one dimension, got %[1]v", b, a)))
		}
	}
	return variance.Clone()
}

const halfLog2Pi = 0.9189385332046727 // math.Log(2*math.Pi) / 2

// gaussianLoss computes the loss for variance v, which the caller frees.
func gaussianLoss(op string, input, target, v *torch.Tensor, full bool, code int64) *torch.Tensor {
	loss := unary(op, aten.Log, v)
	diff := binary(op, subTensor, input, target)
	square := unaryClosing(op, diff,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.PowTensorScalar(cx, h, integer(2)) })
	ratio := closeInputs(binary(op, aten.DivTensor, square, v), square)
	loss = closeInputs(binary(op, addTensor, loss, ratio), loss, ratio)
	loss = unaryClosing(op, loss,
		func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.MulScalar(cx, h, float(0.5)) })
	if full {
		loss.AddScalar_(halfLog2Pi)
	}
	return reduceLoss(op, loss, code)
}
