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

// defaultEps is what the normalizations add to a variance.
const defaultEps = 1e-5

// batchNorm is what the batch and instance normalizations share beside their
// tensors.
type batchNorm struct {
	channels int64
	eps      float64
	momentum *float64 // nil: running statistics are the mean over all batches
	affine   bool
	track    bool
}

// batchFields are the fields of a batch normalization for its tensors.
type batchFields struct {
	weight, bias, mean, variance, batches **torch.Tensor
}

// batchTensors are the tensors of a batch normalization, each of them nil or of
// a number for each channel.
type batchTensors struct {
	weight, bias, mean, variance, batches *torch.Tensor
}

// buildBatchNorm makes the tensors of a batch or instance normalization and
// registers all there is. on says whether there are a weight, a bias and running
// statistics where no option does.
func buildBatchNorm[O any](b *Base, op string, channels int64, on bool, opts []O, f batchFields) batchNorm {
	n := batchNorm{channels, defaultEps, new(0.1), on, on}
	var made making
	for _, o := range opts {
		switch o := any(o).(type) {
		case Eps:
			n.eps = float64(o)
		case Momentum:
			n.momentum = new(float64(o))
		case MomentumWord:
			if o != MomentumNone {
				panic(torch.NewError(op, torch.ErrValue, "Momentum", fmt.Sprintf("expected a number or None, got %q", string(o))))
			}
			n.momentum = nil
		case Affine:
			n.affine = bool(o)
		case TrackRunningStats:
			n.track = bool(o)
		default:
			made.read(op, o)
		}
	}
	made.sizes(op, size{"channels", channels})
	returned := false
	defer made.undo(b, &returned)
	b.parameter("weight", f.weight, made.onesIf(n.affine, channels))
	b.parameter("bias", f.bias, made.zerosIf(n.affine, channels))
	b.buffer("running_mean", f.mean, made.zerosIf(n.track, channels))
	b.buffer("running_var", f.variance, made.onesIf(n.track, channels))
	made.dtype = torch.Int64
	b.buffer("num_batches_tracked", f.batches, made.zerosIf(n.track))
	made.as.register(b.self)
	returned = true
	return n
}

func (n batchNorm) describe() string {
	momentum := "None"
	if n.momentum != nil {
		momentum = tensorfmt.PyFloat(*n.momentum)
	}
	return fmt.Sprintf("%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s",
		n.channels, tensorfmt.PyFloat(n.eps), momentum, tensorfmt.PyBool(n.affine), tensorfmt.PyBool(n.track))
}

// resetAffine sets a weight to 1 and a bias to 0, where they are.
func resetAffine(weight, bias *torch.Tensor) {
	if weight != nil {
		nninit.Ones_(weight)
	}
	if bias != nil {
		nninit.Zeros_(bias)
	}
}

func (t batchTensors) resetRunningStats() {
	if t.mean != nil {
		nninit.Zeros_(t.mean)
	}
	if t.variance != nil {
		nninit.Ones_(t.variance)
	}
	if t.batches != nil {
		nninit.Zeros_(t.batches)
	}
}

func (t batchTensors) reset() {
	t.resetRunningStats()
	resetAffine(t.weight, t.bias)
}

// run normalizes x, which has one of the numbers of dimensions.
func (n batchNorm) run(op string, x *torch.Tensor, training bool, t batchTensors, dims ...int64) *torch.Tensor {
	x.HandleFor(op, 0)
	if d := x.Dim(); d != dims[0] && d != dims[len(dims)-1] {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected %v dimensions, got size %v", dims, x.Shape())))
	}
	momentum := 0.0
	if n.momentum != nil {
		momentum = *n.momentum
	}
	if training && n.track && t.batches != nil {
		const op = "Add_(num_batches_tracked)"
		h := t.batches.HandleFor(op, 0)
		one := abi.Scalar{Kind: abi.ScalarInt, I: 1}
		r := torch.BeginRaw(op, t.batches)
		r.Status(aten.Add_Scalar(r.Ctx|abi.CtxNoGrad, h, one, one))
		if n.momentum == nil {
			momentum = 1 / t.batches.Item()
		}
	}
	mean, variance := t.mean, t.variance
	if training && !n.track {
		mean, variance = nil, nil
	}
	training = training || t.mean == nil && t.variance == nil
	return F.BatchNorm(x, mean, variance, t.weight, t.bias, F.Training(training), F.Momentum(momentum), F.Eps(n.eps))
}

// BatchNorm1d normalizes the channels of vectors and sequences.
// Follows torch.nn.BatchNorm1d.
type BatchNorm1d struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, or nil

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is None: the mean over all batches
	Affine            bool
	TrackRunningStats bool
}

// NewBatchNorm1d makes a BatchNorm1d for the given number of channels. It panics
// with ErrValue for a number that is negative or too large, with ErrOutOfMemory,
// and with ErrNil for a nil option. Follows torch.nn.BatchNorm1d.
func NewBatchNorm1d(channels int64, opts ...BatchNormOption) *BatchNorm1d {
	l := new(BatchNorm1d)
	l.start(l)
	n := buildBatchNorm(&l.Base, "NewBatchNorm1d", channels, true, opts, batchFields{&l.Weight, &l.Bias, &l.RunningMean, &l.RunningVar, &l.NumBatchesTracked})
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = n.channels, n.eps, n.momentum, n.affine, n.track
	return l
}

func (l *BatchNorm1d) settings() batchNorm {
	return batchNorm{l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats}
}

func (l *BatchNorm1d) describe() string { return l.settings().describe() }

func (l *BatchNorm1d) tensors() batchTensors {
	return batchTensors{l.Weight, l.Bias, l.RunningMean, l.RunningVar, l.NumBatchesTracked}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *BatchNorm1d) ResetRunningStats() { l.tensors().resetRunningStats() }

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *BatchNorm1d) ResetParameters() { l.tensors().reset() }

// Forward takes x of shape (N, C) or (N, C, L). It panics with ErrShape for
// another number of dimensions, and with ErrValue in training if there is only
// one value per channel.
func (l *BatchNorm1d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().run("BatchNorm1d(input)", x, l.IsTraining(), l.tensors(), 2, 3)
	})
}

// BatchNorm2d normalizes the channels of images. Follows torch.nn.BatchNorm2d.
type BatchNorm2d struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, or nil

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is None: the mean over all batches
	Affine            bool
	TrackRunningStats bool
}

// NewBatchNorm2d makes a BatchNorm2d for the given number of channels. It panics
// with ErrValue for a number that is negative or too large, with ErrOutOfMemory,
// and with ErrNil for a nil option. Follows torch.nn.BatchNorm2d.
func NewBatchNorm2d(channels int64, opts ...BatchNormOption) *BatchNorm2d {
	l := new(BatchNorm2d)
	l.start(l)
	n := buildBatchNorm(&l.Base, "NewBatchNorm2d", channels, true, opts, batchFields{&l.Weight, &l.Bias, &l.RunningMean, &l.RunningVar, &l.NumBatchesTracked})
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = n.channels, n.eps, n.momentum, n.affine, n.track
	return l
}

func (l *BatchNorm2d) settings() batchNorm {
	return batchNorm{l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats}
}

func (l *BatchNorm2d) describe() string { return l.settings().describe() }

func (l *BatchNorm2d) tensors() batchTensors {
	return batchTensors{l.Weight, l.Bias, l.RunningMean, l.RunningVar, l.NumBatchesTracked}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *BatchNorm2d) ResetRunningStats() { l.tensors().resetRunningStats() }

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *BatchNorm2d) ResetParameters() { l.tensors().reset() }

// Forward takes x of shape (N, C, H, W). It panics as BatchNorm1d does.
func (l *BatchNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().run("BatchNorm2d(input)", x, l.IsTraining(), l.tensors(), 4)
	})
}

// BatchNorm3d normalizes the channels of volumes. Follows torch.nn.BatchNorm3d.
type BatchNorm3d struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, or nil

	NumFeatures       int64
	Eps               float64
	Momentum          *float64 // nil is None: the mean over all batches
	Affine            bool
	TrackRunningStats bool
}

// NewBatchNorm3d makes a BatchNorm3d for the given number of channels. It panics
// with ErrValue for a number that is negative or too large, with ErrOutOfMemory,
// and with ErrNil for a nil option. Follows torch.nn.BatchNorm3d.
func NewBatchNorm3d(channels int64, opts ...BatchNormOption) *BatchNorm3d {
	l := new(BatchNorm3d)
	l.start(l)
	n := buildBatchNorm(&l.Base, "NewBatchNorm3d", channels, true, opts, batchFields{&l.Weight, &l.Bias, &l.RunningMean, &l.RunningVar, &l.NumBatchesTracked})
	l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats = n.channels, n.eps, n.momentum, n.affine, n.track
	return l
}

func (l *BatchNorm3d) settings() batchNorm {
	return batchNorm{l.NumFeatures, l.Eps, l.Momentum, l.Affine, l.TrackRunningStats}
}

func (l *BatchNorm3d) describe() string { return l.settings().describe() }

func (l *BatchNorm3d) tensors() batchTensors {
	return batchTensors{l.Weight, l.Bias, l.RunningMean, l.RunningVar, l.NumBatchesTracked}
}

// ResetRunningStats resets the running statistics to their initial values.
// Follows reset_running_stats.
func (l *BatchNorm3d) ResetRunningStats() { l.tensors().resetRunningStats() }

// ResetParameters resets the running statistics, Weight and Bias to their initial
// values. Follows reset_parameters.
func (l *BatchNorm3d) ResetParameters() { l.tensors().reset() }

// Forward takes x of shape (N, C, D, H, W). It panics as BatchNorm1d does.
func (l *BatchNorm3d) Forward(x *torch.Tensor) *torch.Tensor {
	return leaf(l, x, func(x *torch.Tensor) *torch.Tensor {
		return l.settings().run("BatchNorm3d(input)", x, l.IsTraining(), l.tensors(), 5)
	})
}
