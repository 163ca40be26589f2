package ops

import (
	"fmt"
	"slices"

	"github.com/gotorch/gotorch/internal/tensorfmt"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// FrozenBatchNorm2d is a batch normalization whose statistics and affine parameters are constant: all
// four are buffers. Follows torchvision.ops.FrozenBatchNorm2d.
type FrozenBatchNorm2d struct {
	nn.Base
	Weight, Bias, RunningMean, RunningVar *torch.Tensor // of shape (C)
	Eps                                   float64
}

// NewFrozenBatchNorm2d returns a FrozenBatchNorm2d for numFeatures channels. [Eps] is 1e-5 by default.
// It panics with ErrValue for a negative number.
func NewFrozenBatchNorm2d(numFeatures int64, eps ...Eps) *FrozenBatchNorm2d {
	if numFeatures < 0 {
		panic(torch.NewError("ops.NewFrozenBatchNorm2d", torch.ErrValue, "numFeatures",
			fmt.Sprintf("expected a number that is not negative, got %d", numFeatures)))
	}
	l := &FrozenBatchNorm2d{Eps: 1e-5}
	for _, e := range eps {
		l.Eps = float64(e)
	}
	l.Init(l)
	shape := torch.Shape{numFeatures}
	l.Weight = l.RegisterBuffer("weight", torch.Ones(shape))
	l.Bias = l.RegisterBuffer("bias", torch.Zeros(shape))
	l.RunningMean = l.RegisterBuffer("running_mean", torch.Zeros(shape))
	l.RunningVar = l.RegisterBuffer("running_var", torch.Ones(shape))
	l.RegisterLoadStateDictPreHook(func(_ nn.Module, sd *nn.StateDict, prefix string) {
		*sd = slices.DeleteFunc(*sd, func(n nn.NamedTensor) bool { return n.Name == prefix+"num_batches_tracked" })
	})
	return l
}

// Forward takes x of shape (N, C, H, W) and returns a new tensor of the same shape. It panics with
// ErrShape for another number of channels.
func (l *FrozenBatchNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return l.Call(x, func(x *torch.Tensor) *torch.Tensor {
		channels := func(t *torch.Tensor) *torch.Tensor { return t.Reshape(1, -1, 1, 1) }
		scale := channels(l.Weight).Mul(channels(l.RunningVar).AddScalar(l.Eps).Rsqrt())
		bias := channels(l.Bias).Sub(channels(l.RunningMean).Mul(scale))
		return x.Mul(scale).Add(bias)
	})
}

// String returns the layer with its settings, formatted as in Python.
func (l *FrozenBatchNorm2d) String() string {
	return fmt.Sprintf("%s(%d, eps=%s)", l.TypeName(), l.Weight.Size(0), tensorfmt.PyFloat(l.Eps))
}
