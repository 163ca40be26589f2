package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/tensorfmt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/nn/nninit"
	"github.com/gotorch/gotorch/torch"
)

// defaultEps is the default number added to a variance.
const defaultEps = 1e-5

// NormBase holds the fields common to all batch and instance normalization layers. You
// may assign to its settings: Forward and String use the new values.
type NormBase struct {
	Base
	Weight            *torch.Tensor // shape (C), or nil
	Bias              *torch.Tensor // shape (C), or nil
	RunningMean       *torch.Tensor // shape (C), or nil
	RunningVar        *torch.Tensor // shape (C), or nil
	NumBatchesTracked *torch.Tensor // an int64 scalar, or nil; stays 0 in instance normalizations

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is Python's None: the mean over all batches, or 0 in instance normalizations
	Affine            bool
	TrackRunningStats bool

	normalize BatchNormalizer // or nil
}

// BatchNormalizer normalizes the channels of x by the statistics of the batch and
// updates the running statistics, as functional.BatchNorm does in training. All
// tensors except x may be nil.
type BatchNormalizer interface {
	NormalizeBatch(x, runningMean, runningVar, weight, bias *torch.Tensor, momentum, eps float64) *torch.Tensor
}

// NormalizeBy sets the BatchNormalizer that a batch normalization uses in training, and
// also in evaluation if there are no running statistics. Nil restores the default.
// parallel.ConvertSyncBatchNorm uses NormalizeBy to combine the statistics of several
// processes.
func (l *NormBase) NormalizeBy(by BatchNormalizer) {
	mustBeMade("NormBase.NormalizeBy", l)
	l.normalize = by
}

// NormalizedBy returns the BatchNormalizer passed to [NormBase.NormalizeBy], or nil.
func (l *NormBase) NormalizedBy() BatchNormalizer {
	mustBeMade("NormBase.NormalizedBy", l)
	return l.normalize
}

// buildNorm makes and registers the tensors of a batch or instance normalization. If on
// is true, Affine and TrackRunningStats are true by default.
func buildNorm[O any](l *NormBase, self Module, op string, channels int64, on bool, opts []O) {
	l.startLayer(self)
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = channels, defaultEps, new(0.1), on, on
	var maker paramMaker
	for _, o := range opts {
		switch o := any(o).(type) {
		case Eps:
			l.Eps = float64(o)
		case Momentum:
			l.Momentum = new(float64(o))
		case MomentumWord:
			if o != MomentumNone {
				panic(torch.NewError(op, torch.ErrValue, "Momentum",
					fmt.Sprintf("expected a number or None, got %q", string(o))))
			}
			l.Momentum = nil
		case Affine:
			l.Affine = bool(o)
		case TrackRunningStats:
			l.TrackRunningStats = bool(o)
		default:
			maker.read(op, o)
		}
	}
	maker.setSizes(op, size{"channels", channels})
	returned := false
	defer maker.closeAfterPanic(&l.Base, &returned)
	l.parameter("weight", &l.Weight, maker.onesIf(l.Affine, channels))
	l.parameter("bias", &l.Bias, maker.zerosIf(l.Affine, channels))
	l.buffer("running_mean", &l.RunningMean, maker.zerosIf(l.TrackRunningStats, channels))
	l.buffer("running_var", &l.RunningVar, maker.onesIf(l.TrackRunningStats, channels))
	maker.dtype = torch.Int64
	l.buffer("num_batches_tracked", &l.NumBatchesTracked, maker.zerosIf(l.TrackRunningStats))
	maker.as.register(self)
	returned = true
}

func (l *NormBase) describe() string {
	momentum := "None"
	if l.Momentum != nil {
		momentum = tensorfmt.PyFloat(*l.Momentum)
	}
	return fmt.Sprintf("%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s",
		l.NumFeatures, tensorfmt.PyFloat(l.Eps), momentum, tensorfmt.PyBool(l.Affine),
		tensorfmt.PyBool(l.TrackRunningStats))
}

// resetAffine sets a weight to 1 and a bias to 0, if they exist.
func resetAffine(weight, bias *torch.Tensor) {
	if weight != nil {
		nninit.Ones_(weight)
	}
	if bias != nil {
		nninit.Zeros_(bias)
	}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *NormBase) ResetRunningStats() {
	mustBeMade("NormBase.ResetRunningStats", l)
	if l.RunningMean != nil {
		nninit.Zeros_(l.RunningMean)
	}
	if l.RunningVar != nil {
		nninit.Ones_(l.RunningVar)
	}
	if l.NumBatchesTracked != nil {
		nninit.Zeros_(l.NumBatchesTracked)
	}
}

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *NormBase) ResetParameters() {
	mustBeMade("NormBase.ResetParameters", l)
	l.ResetRunningStats()
	resetAffine(l.Weight, l.Bias)
}

// momentum returns Momentum, or 0 if it is nil.
func (l *NormBase) momentum() float64 {
	if l.Momentum == nil {
		return 0
	}
	return *l.Momentum
}

// normBatch normalizes x. dims lists the allowed numbers of dimensions.
func (l *NormBase) normBatch(op string, x *torch.Tensor, dims ...int64) *torch.Tensor {
	x.HandleFor(op, 0)
	if d := x.Dim(); d != dims[0] && d != dims[len(dims)-1] {
		panic(torch.NewError(op, torch.ErrShape, "input",
			fmt.Sprintf("expected %v dimensions, got size %v", dims, x.Shape())))
	}
	training, momentum := l.Training(), l.momentum()
	if !training || !l.TrackRunningStats || l.NumBatchesTracked == nil {
		return l.normalizeBatch(x, training, momentum)
	}
	l.count(1)
	counted := false
	defer func() {
		if !counted { // a call that fails does not count
			l.count(-1)
		}
	}()
	if l.Momentum == nil {
		momentum = 1 / l.NumBatchesTracked.Item()
	}
	y := l.normalizeBatch(x, training, momentum)
	counted = true
	return y
}

// count adds n to the number of batches.
func (l *NormBase) count(n int64) {
	const op = "Add_(num_batches_tracked)"
	h := l.NumBatchesTracked.HandleFor(op, 0)
	r := torch.BeginRaw(op, l.NumBatchesTracked)
	r.Status(aten.Add_Scalar(r.Ctx|abi.CtxNoGrad, h, abi.Scalar{Kind: abi.ScalarInt, I: n},
		abi.Scalar{Kind: abi.ScalarInt, I: 1}))
}

// normalizeBatch normalizes x by the statistics of the batch or, if training is false, by
// the running statistics.
func (l *NormBase) normalizeBatch(x *torch.Tensor, training bool, momentum float64) *torch.Tensor {
	mean, variance := l.RunningMean, l.RunningVar
	if training && !l.TrackRunningStats {
		mean, variance = nil, nil
	}
	training = training || l.RunningMean == nil && l.RunningVar == nil
	if l.normalize != nil && training {
		return l.normalize.NormalizeBatch(x, mean, variance, l.Weight, l.Bias, momentum, l.Eps)
	}
	return F.BatchNorm(x, mean, variance, l.Weight, l.Bias, F.Training(training), F.Momentum(momentum), F.Eps(l.Eps))
}

// BatchNorm1d normalizes the channels of vectors and sequences.
// Follows torch.nn.BatchNorm1d.
type BatchNorm1d struct{ NormBase }

// NewBatchNorm1d makes a BatchNorm1d for the given number of channels. It panics with
// ErrValue for a number that is negative or too large. Follows torch.nn.BatchNorm1d.
func NewBatchNorm1d(channels int64, opts ...BatchNormOption) *BatchNorm1d {
	l := new(BatchNorm1d)
	buildNorm(&l.NormBase, l, "NewBatchNorm1d", channels, true, opts)
	return l
}

// Forward takes x of shape (N, C) or (N, C, L). It panics with ErrShape for any other
// number of dimensions, and in training with ErrValue if there is only one value per
// channel.
func (l *BatchNorm1d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.normBatch("BatchNorm1d(input)", x, 2, 3) })
}

// BatchNorm2d normalizes the channels of images. Follows torch.nn.BatchNorm2d.
type BatchNorm2d struct{ NormBase }

// NewBatchNorm2d makes a BatchNorm2d for the given number of channels. It panics with
// ErrValue for a number that is negative or too large. Follows torch.nn.BatchNorm2d.
func NewBatchNorm2d(channels int64, opts ...BatchNormOption) *BatchNorm2d {
	l := new(BatchNorm2d)
	buildNorm(&l.NormBase, l, "NewBatchNorm2d", channels, true, opts)
	return l
}

// Forward takes x of shape (N, C, H, W). It panics as BatchNorm1d does.
func (l *BatchNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.normBatch("BatchNorm2d(input)", x, 4) })
}

// BatchNorm3d normalizes the channels of volumes. Follows torch.nn.BatchNorm3d.
type BatchNorm3d struct{ NormBase }

// NewBatchNorm3d makes a BatchNorm3d for the given number of channels. It panics with
// ErrValue for a number that is negative or too large. Follows torch.nn.BatchNorm3d.
func NewBatchNorm3d(channels int64, opts ...BatchNormOption) *BatchNorm3d {
	l := new(BatchNorm3d)
	buildNorm(&l.NormBase, l, "NewBatchNorm3d", channels, true, opts)
	return l
}

// Forward takes x of shape (N, C, D, H, W). It panics as BatchNorm1d does.
func (l *BatchNorm3d) Forward(x *torch.Tensor) *torch.Tensor {
	return callLayer(l, x, func(x *torch.Tensor) *torch.Tensor { return l.normBatch("BatchNorm3d(input)", x, 5) })
}
