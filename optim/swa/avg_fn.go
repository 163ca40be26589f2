package swa

import (
	"fmt"

	"github.com/gotorch/gotorch/torch"
	"github.com/gotorch/gotorch/torch/aten"
)

// AvgFn returns the new average of a parameter. Its arguments are the average so far, the model's
// parameter and the number of averaged models, an int64 tensor with one element. It runs without
// gradients. Its result is copied, and the tensors that it makes are freed. AvgFn is an option of
// [NewAveragedModel].
type AvgFn func(averaged, current, numAveraged *torch.Tensor) *torch.Tensor

// MultiAvgFn updates in place the averages of several parameters with the same dtype and
// device. It has the arguments of [AvgFn], as slices. It runs without gradients, and the
// tensors that it makes are freed. It is an option of [NewAveragedModel].
type MultiAvgFn func(averaged, current []*torch.Tensor, numAveraged *torch.Tensor)

func mustBeDecay(op string, decay float64) {
	if !(decay >= 0 && decay <= 1) {
		panic(torch.NewError(op, torch.ErrValue, "decay", fmt.Sprintf("expected a number from 0 to 1, got %v", decay)))
	}
}

// EMAAvgFn returns a function that computes the exponential moving average: decay times the average
// plus 1-decay times the parameter. It panics with ErrValue for a decay outside of 0 to 1.
// PyTorch's default is 0.999. Follows torch.optim.swa_utils.get_ema_avg_fn.
func EMAAvgFn(decay float64) AvgFn {
	mustBeDecay("EMAAvgFn", decay)
	return func(averaged, current, _ *torch.Tensor) *torch.Tensor {
		return averaged.MulScalar(decay).Add(current.MulScalar(1 - decay))
	}
}

// EMAMultiAvgFn returns a function that computes the exponential moving averages of many
// parameters together, which is faster than [EMAAvgFn]. It panics as EMAAvgFn does.
// Follows torch.optim.swa_utils.get_ema_multi_avg_fn.
func EMAMultiAvgFn(decay float64) MultiAvgFn {
	mustBeDecay("EMAMultiAvgFn", decay)
	each := EMAAvgFn(decay)
	return func(averaged, current []*torch.Tensor, n *torch.Tensor) {
		if canLerp(averaged[0]) {
			aten.UnderForeachLerp_Scalar(averaged, current, 1-decay)
			return
		}
		for i, a := range averaged {
			torch.Scope(func() { a.Copy_(each(a, current[i], n)) })
		}
	}
}

// SWAAvgFn returns a function that computes the mean of all models. Follows
// torch.optim.swa_utils.get_swa_avg_fn.
func SWAAvgFn() AvgFn {
	return func(averaged, current, n *torch.Tensor) *torch.Tensor {
		return averaged.Add(current.Sub(averaged).Div(n.AddScalar(1)))
	}
}

// SWAMultiAvgFn returns a function that computes the mean of all models, for many
// parameters together. Follows torch.optim.swa_utils.get_swa_multi_avg_fn.
func SWAMultiAvgFn() MultiAvgFn {
	return func(averaged, current []*torch.Tensor, n *torch.Tensor) {
		if canLerp(averaged[0]) {
			aten.UnderForeachLerp_Scalar(averaged, current, n.AddScalar(1).Reciprocal().Item())
			return
		}
		for i, a := range averaged {
			// PyTorch divides in place, which does not work for integers.
			torch.Scope(func() { a.Copy_(a.Add(current[i].Sub(a).Div(n.AddScalar(1)))) })
		}
	}
}

// canLerp reports whether Lerp supports the tensor.
func canLerp(t *torch.Tensor) bool { return t.DType().IsFloatingPoint() || t.DType().IsComplex() }
