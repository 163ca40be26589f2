package nn

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	F "github.com/gotorch/gotorch/nn/functional"
	nninit "github.com/gotorch/gotorch/nn/init"
	"github.com/gotorch/gotorch/torch"
)

// defaultEps is what the normalizations add to a variance.
const defaultEps = 1e-5

// BatchNormOptions are the rarer arguments of the batch normalizations.
type BatchNormOptions struct {
	Eps               float64  // 0, which PyTorch refuses: 1e-5
	Momentum          *float64 // how much a batch moves the running statistics, 0: not at all; nil: 0.1
	CumulativeAverage bool     // running statistics are the mean over all batches, momentum=None
	NoAffine          bool     // no Weight and Bias
	NoRunningStats    bool     // the batch's own statistics in evaluation too
	Device            torch.Device
	DType             torch.DType
}

// batchNorm is what the batch normalizations share: they differ in the inputs
// they accept.
type batchNorm struct {
	Base
	Weight            *torch.Tensor // (C), or nil
	Bias              *torch.Tensor // (C), or nil
	RunningMean       *torch.Tensor // (C), or nil
	RunningVar        *torch.Tensor // (C), or nil
	NumBatchesTracked *torch.Tensor // int64 scalar, or nil

	eps        float64
	momentum   float64
	cumulative bool
}

func (b *batchNorm) init(op string, channels int64, opts []BatchNormOptions) {
	o := option(op, opts)
	checkSizes(op, channels)
	b.eps, b.momentum, b.cumulative = o.Eps, orDefault(o.Momentum, 0.1), o.CumulativeAverage
	if b.eps == 0 {
		b.eps = defaultEps
	}
	if !o.NoAffine {
		b.Weight = nninit.Ones_(parameter(torch.Shape{channels}, o.DType, o.Device))
		b.Bias = nninit.Zeros_(parameter(torch.Shape{channels}, o.DType, o.Device))
		b.RegisterParameter("weight", b.Weight).RegisterParameter("bias", b.Bias)
	}
	if !o.NoRunningStats {
		b.RunningMean = torch.Disown(torch.Zeros(torch.Shape{channels}, o.DType, o.Device))
		b.RunningVar = torch.Disown(torch.Ones(torch.Shape{channels}, o.DType, o.Device))
		b.NumBatchesTracked = torch.Disown(torch.Zeros(torch.Shape{}, torch.Int64, o.Device))
		b.RegisterBuffer("running_mean", b.RunningMean)
		b.RegisterBuffer("running_var", b.RunningVar)
		b.RegisterBuffer("num_batches_tracked", b.NumBatchesTracked)
	}
	momentum := pyFloat(b.momentum)
	if b.cumulative {
		momentum = "None"
	}
	b.SetExtraRepr(fmt.Sprintf("%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s",
		channels, pyFloat(b.eps), momentum, pyBool(!o.NoAffine), pyBool(!o.NoRunningStats)))
}

// ResetRunningStats forgets all batches. Follows reset_running_stats.
func (b *batchNorm) ResetRunningStats() {
	if b.RunningMean != nil {
		nninit.Zeros_(b.RunningMean)
		nninit.Ones_(b.RunningVar)
		nninit.Zeros_(b.NumBatchesTracked)
	}
}

func (b *batchNorm) forward(op string, x *torch.Tensor, dims ...int64) *torch.Tensor {
	x.HandleFor(op, 0)
	if d := x.Dim(); d != dims[0] && d != dims[len(dims)-1] {
		panic(torch.NewError(op, torch.ErrShape, "input", fmt.Sprintf("expected %v dimensions, got size %v", dims, x.Shape())))
	}
	momentum := b.momentum
	if b.IsTraining() && b.NumBatchesTracked != nil {
		const op = "Add_(num_batches_tracked)"
		h := b.NumBatchesTracked.HandleFor(op, 0)
		one := abi.Scalar{Kind: abi.ScalarInt, I: 1}
		r := torch.BeginRaw(op)
		r.Status(aten.Add_Scalar(r.Ctx|abi.CtxNoGrad, h, one, one), b.NumBatchesTracked)
		if b.cumulative {
			momentum = 1 / b.NumBatchesTracked.Item()
		}
	}
	training := b.IsTraining() || b.RunningMean == nil
	return F.BatchNorm(x, b.RunningMean, b.RunningVar, b.Weight, b.Bias, F.Training(training), F.Momentum(momentum), F.Eps(b.eps))
}

// BatchNorm1d normalizes the channels of vectors and sequences.
type BatchNorm1d struct{ batchNorm }

// NewBatchNorm1d makes a BatchNorm1d for the given number of channels. Follows
// torch.nn.BatchNorm1d.
func NewBatchNorm1d(channels int64, opts ...BatchNormOptions) *BatchNorm1d {
	l := new(BatchNorm1d)
	l.tidy = l
	l.init("NewBatchNorm1d", channels, opts)
	return l
}

// Forward takes x of shape (N, C) or (N, C, L). It panics with ErrShape for
// another number of dimensions, and with ErrValue for one value a channel in
// training.
func (l *BatchNorm1d) Forward(x *torch.Tensor) *torch.Tensor {
	return l.forward("BatchNorm1d(input)", x, 2, 3)
}

// BatchNorm2d normalizes the channels of images.
type BatchNorm2d struct{ batchNorm }

// NewBatchNorm2d makes a BatchNorm2d for the given number of channels. Follows
// torch.nn.BatchNorm2d.
func NewBatchNorm2d(channels int64, opts ...BatchNormOptions) *BatchNorm2d {
	l := new(BatchNorm2d)
	l.tidy = l
	l.init("NewBatchNorm2d", channels, opts)
	return l
}

// Forward takes x of shape (N, C, H, W). Panics are those of BatchNorm1d.
func (l *BatchNorm2d) Forward(x *torch.Tensor) *torch.Tensor {
	return l.forward("BatchNorm2d(input)", x, 4)
}

// NormOptions are the rarer arguments of [NewLayerNorm], [NewRMSNorm] and
// [NewGroupNorm].
type NormOptions struct {
	Eps      *float64 // added to the variance; nil: 1e-5, for RMSNorm the machine epsilon of the dtype
	NoAffine bool     // no Weight and Bias
	NoBias   bool     // LayerNorm: no Bias
	Device   torch.Device
	DType    torch.DType
}

// LayerNorm normalizes over the last dimensions.
type LayerNorm struct {
	Base
	Weight *torch.Tensor // of the normalized shape, or nil
	Bias   *torch.Tensor // of the normalized shape, or nil
	shape  torch.Shape
	eps    float64
}

// NewLayerNorm makes a LayerNorm over the last dimensions, whose sizes are
// shape. Follows torch.nn.LayerNorm.
func NewLayerNorm(shape torch.Shape, opts ...NormOptions) *LayerNorm {
	const op = "NewLayerNorm"
	o := option(op, opts)
	checkSizes(op, shape...)
	l := &LayerNorm{shape: append(torch.Shape(nil), shape...), eps: orDefault(o.Eps, defaultEps)}
	if !o.NoAffine {
		l.Weight = nninit.Ones_(parameter(l.shape, o.DType, o.Device))
		if !o.NoBias {
			l.Bias = nninit.Zeros_(parameter(l.shape, o.DType, o.Device))
		}
	}
	l.tidy = l
	l.RegisterParameter("weight", l.Weight).RegisterParameter("bias", l.Bias)
	l.SetExtraRepr(fmt.Sprintf("%v, eps=%s, elementwise_affine=%s", l.shape, pyFloat(l.eps), pyBool(!o.NoAffine)))
	return l
}

// Forward takes x whose shape ends in the normalized one.
func (l *LayerNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return F.LayerNorm(x, l.shape, l.Weight, l.Bias, F.Eps(l.eps))
}

// RMSNorm divides by the root of the mean square over the last dimensions.
type RMSNorm struct {
	Base
	Weight *torch.Tensor // of the normalized shape, or nil
	shape  torch.Shape
	eps    []F.NormOption // none: F.RMSNorm's default
}

// NewRMSNorm makes an RMSNorm over the last dimensions, whose sizes are shape.
// Follows torch.nn.RMSNorm.
func NewRMSNorm(shape torch.Shape, opts ...NormOptions) *RMSNorm {
	const op = "NewRMSNorm"
	o := option(op, opts)
	checkSizes(op, shape...)
	l := &RMSNorm{shape: append(torch.Shape(nil), shape...)}
	eps := "None"
	if o.Eps != nil {
		l.eps = []F.NormOption{F.Eps(*o.Eps)}
		eps = pyFloat(*o.Eps)
	}
	if !o.NoAffine {
		l.Weight = nninit.Ones_(parameter(l.shape, o.DType, o.Device))
	}
	l.tidy = l
	l.RegisterParameter("weight", l.Weight)
	l.SetExtraRepr(fmt.Sprintf("%v, eps=%s, elementwise_affine=%s", l.shape, eps, pyBool(!o.NoAffine)))
	return l
}

// Forward takes x whose shape ends in the normalized one.
func (l *RMSNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return F.RMSNorm(x, l.shape, l.Weight, l.eps...)
}

// GroupNorm normalizes over groups of channels.
type GroupNorm struct {
	Base
	Weight *torch.Tensor // (C), or nil
	Bias   *torch.Tensor // (C), or nil
	groups int64
	eps    float64
}

// NewGroupNorm makes a GroupNorm. It panics with ErrValue unless groups
// divides channels. Follows torch.nn.GroupNorm.
func NewGroupNorm(groups, channels int64, opts ...NormOptions) *GroupNorm {
	const op = "NewGroupNorm"
	o := option(op, opts)
	checkSizes(op, channels)
	if groups <= 0 || channels%groups != 0 {
		panic(torch.NewError(op, torch.ErrValue, "groups", fmt.Sprintf("%d groups of %d channels", groups, channels)))
	}
	l := &GroupNorm{groups: groups, eps: orDefault(o.Eps, defaultEps)}
	if !o.NoAffine {
		l.Weight = nninit.Ones_(parameter(torch.Shape{channels}, o.DType, o.Device))
		l.Bias = nninit.Zeros_(parameter(torch.Shape{channels}, o.DType, o.Device))
	}
	l.tidy = l
	l.RegisterParameter("weight", l.Weight).RegisterParameter("bias", l.Bias)
	l.SetExtraRepr(fmt.Sprintf("%d, %d, eps=%s, affine=%s", groups, channels, pyFloat(l.eps), pyBool(!o.NoAffine)))
	return l
}

// Forward takes x of shape (N, C, *).
func (l *GroupNorm) Forward(x *torch.Tensor) *torch.Tensor {
	return F.GroupNorm(x, l.groups, l.Weight, l.Bias, F.Eps(l.eps))
}
