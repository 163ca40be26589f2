package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// runInstance normalizes x, which has n dimensions beside that of the channels, and
// one more if it is a batch.
func (n batchNorm) runInstance(op string, x *torch.Tensor, training bool, t batchTensors, dims int64) *torch.Tensor {
	x.HandleFor(op, 0)
	d := x.Dim()
	if d != dims+1 && d != dims+2 {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected %d or %d dimensions, got size %v", dims+1, dims+2, x.Shape())))
	}
	if got := x.Size(d - dims - 1); got != n.channels {
		if n.affine {
			panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected %d channels, got size %v", n.channels, x.Shape())))
		}
		cgotorch.Warn(fmt.Sprintf("input's size at dim=%d does not match num_features. You can silence this warning by not passing in num_features, "+
			"which is not used because affine=False", d-dims-1))
	}
	momentum := 0.0
	if n.momentum != nil {
		momentum = *n.momentum
	}
	apply := func(x *torch.Tensor) *torch.Tensor {
		return F.InstanceNorm(x, t.mean, t.variance, t.weight, t.bias,
			F.UseInputStats(training || !n.track || t.mean == nil), F.Momentum(momentum), F.Eps(n.eps))
	}
	if d == dims+2 {
		return apply(x)
	}
	batch := x.Unsqueeze(0)
	defer func() { _ = batch.Close() }()
	y := apply(batch)
	defer func() { _ = y.Close() }()
	return y.Squeeze(0)
}

// InstanceNorm1d normalizes each channel of each of the sequences in a batch.
// Follows torch.nn.InstanceNorm1d.
type InstanceNorm1d struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, which stays 0, or nil

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is None, as 0
	Affine            bool
	TrackRunningStats bool
}

// NewInstanceNorm1d makes an InstanceNorm1d for the given number of channels,
// without Weight and Bias unless [Affine] says otherwise, and without running
// statistics unless [TrackRunningStats] does. It panics with ErrValue for a number
// that is negative or too large, with ErrOutOfMemory, and with ErrNil for a nil
// option. Follows torch.nn.InstanceNorm1d.
func NewInstanceNorm1d(channels int64, opts ...InstanceNormOption) *InstanceNorm1d {
	l := new(InstanceNorm1d)
	l.start(l)
	n := buildBatchNorm(&l.Base, "NewInstanceNorm1d", channels, false, opts, batchFields{&l.Weight, &l.Bias, &l.RunningMean, &l.RunningVar, &l.NumBatchesTracked})
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = n.channels, n.eps, n.momentum, n.affine, n.track
	return l
}

func (l *InstanceNorm1d) settings() batchNorm {
	return batchNorm{l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats}
}

func (l *InstanceNorm1d) describe() string { return l.settings().describe() }

func (l *InstanceNorm1d) tensors() batchTensors {
	return batchTensors{l.Weight, l.Bias, l.RunningMean, l.RunningVar, l.NumBatchesTracked}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *InstanceNorm1d) ResetRunningStats() { l.tensors().resetRunningStats() }

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *InstanceNorm1d) ResetParameters() { l.tensors().reset() }

// Forward takes x of shape (N, C, L) or (C, L). It uses the statistics of x,
// and in evaluation the running ones if there are any. It panics with ErrShape for
// another number of dimensions, or of channels where there is a Weight, and with
// ErrValue if there is only one value per channel.
func (l *InstanceNorm1d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().runInstance("InstanceNorm1d(input)", x, l.IsTraining(), l.tensors(), 1)
	})
}

// InstanceNorm2d normalizes each channel of each of the images in a batch.
// Follows torch.nn.InstanceNorm2d.
type InstanceNorm2d struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, which stays 0, or nil

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is None, as 0
	Affine            bool
	TrackRunningStats bool
}

// NewInstanceNorm2d makes an InstanceNorm2d for the given number of channels,
// without Weight and Bias unless [Affine] says otherwise, and without running
// statistics unless [TrackRunningStats] does. It panics with ErrValue for a number
// that is negative or too large, with ErrOutOfMemory, and with ErrNil for a nil
// option. Follows torch.nn.InstanceNorm2d.
func NewInstanceNorm2d(channels int64, opts ...InstanceNormOption) *InstanceNorm2d {
	l := new(InstanceNorm2d)
	l.start(l)
	n := buildBatchNorm(&l.Base, "NewInstanceNorm2d", channels, false, opts, batchFields{&l.Weight, &l.Bias, &l.RunningMean, &l.RunningVar, &l.NumBatchesTracked})
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = n.channels, n.eps, n.momentum, n.affine, n.track
	return l
}

func (l *InstanceNorm2d) settings() batchNorm {
	return batchNorm{l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats}
}

func (l *InstanceNorm2d) describe() string { return l.settings().describe() }

func (l *InstanceNorm2d) tensors() batchTensors {
	return batchTensors{l.Weight, l.Bias, l.RunningMean, l.RunningVar, l.NumBatchesTracked}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *InstanceNorm2d) ResetRunningStats() { l.tensors().resetRunningStats() }

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *InstanceNorm2d) ResetParameters() { l.tensors().reset() }

// Forward takes x of shape (N, C, H, W) or (C, H, W). It uses the statistics of x,
// and in evaluation the running ones if there are any. It panics with ErrShape for
// another number of dimensions, or of channels where there is a Weight, and with
// ErrValue if there is only one value per channel.
func (l *InstanceNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().runInstance("InstanceNorm2d(input)", x, l.IsTraining(), l.tensors(), 2)
	})
}

// InstanceNorm3d normalizes each channel of each of the volumes in a batch.
// Follows torch.nn.InstanceNorm3d.
type InstanceNorm3d struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, which stays 0, or nil

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is None, as 0
	Affine            bool
	TrackRunningStats bool
}

// NewInstanceNorm3d makes an InstanceNorm3d for the given number of channels,
// without Weight and Bias unless [Affine] says otherwise, and without running
// statistics unless [TrackRunningStats] does. It panics with ErrValue for a number
// that is negative or too large, with ErrOutOfMemory, and with ErrNil for a nil
// option. Follows torch.nn.InstanceNorm3d.
func NewInstanceNorm3d(channels int64, opts ...InstanceNormOption) *InstanceNorm3d {
	l := new(InstanceNorm3d)
	l.start(l)
	n := buildBatchNorm(&l.Base, "NewInstanceNorm3d", channels, false, opts, batchFields{&l.Weight, &l.Bias, &l.RunningMean, &l.RunningVar, &l.NumBatchesTracked})
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = n.channels, n.eps, n.momentum, n.affine, n.track
	return l
}

func (l *InstanceNorm3d) settings() batchNorm {
	return batchNorm{l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats}
}

func (l *InstanceNorm3d) describe() string { return l.settings().describe() }

func (l *InstanceNorm3d) tensors() batchTensors {
	return batchTensors{l.Weight, l.Bias, l.RunningMean, l.RunningVar, l.NumBatchesTracked}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *InstanceNorm3d) ResetRunningStats() { l.tensors().resetRunningStats() }

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *InstanceNorm3d) ResetParameters() { l.tensors().reset() }

// Forward takes x of shape (N, C, D, H, W) or (C, D, H, W). It uses the statistics of x,
// and in evaluation the running ones if there are any. It panics with ErrShape for
// another number of dimensions, or of channels where there is a Weight, and with
// ErrValue if there is only one value per channel.
func (l *InstanceNorm3d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().runInstance("InstanceNorm3d(input)", x, l.IsTraining(), l.tensors(), 3)
	})
}
