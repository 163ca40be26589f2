package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of parameters, which most layers take.
type (
	// Bias gives a layer a bias; true without it. For example Bias(false).
	Bias = opt.Bias
	// Device is where parameters and buffers are made; the default device without
	// it and for the zero Device. For example Device(torch.CUDA(0)).
	Device = opt.Device
	// DType is the type of parameters and buffers; the default dtype without it and
	// for the zero DType. For example DType(torch.Float64).
	DType = opt.DType
)

// The options of convolutions and poolings. The plurals have a number for each
// direction.
type (
	// Stride is the step between windows; 1 without it, for a pooling the size of
	// the window. For example Stride(2).
	Stride = opt.Stride
	// Strides is Stride in each direction. For example Strides{2, 1}.
	Strides = opt.Strides
	// Padding is what is added at both ends of all directions; 0 without it.
	// For example Padding(1).
	Padding = opt.Padding
	// Paddings is Padding in each direction. For example Paddings{1, 0}.
	Paddings = opt.Paddings
	// PaddingWord is [PaddingSame] or [PaddingValid], a padding that PyTorch says by
	// a word.
	PaddingWord = opt.PaddingWord
	// PaddingMode is what a convolution pads with; [PaddingModeZeros] without it.
	PaddingMode = opt.PaddingMode
	// Dilation is the distance between the elements of a window; 1 without it.
	// For example Dilation(2).
	Dilation = opt.Dilation
	// Dilations is Dilation in each direction. For example Dilations{2, 1}.
	Dilations = opt.Dilations
	// Groups is into how many parts the channels are split; 1 without it.
	// For example Groups(4).
	Groups = opt.Groups
	// CeilMode rounds the size of the result up; false without it.
	// For example CeilMode(true).
	CeilMode = opt.CeilMode
	// CountIncludePad counts padding as elements of the mean; true without it.
	// For example CountIncludePad(false).
	CountIncludePad = opt.CountIncludePad
	// DivisorOverride is what the sum of a window is divided by; the number of its
	// elements without it. For example DivisorOverride(3).
	DivisorOverride = opt.DivisorOverride
)

// The words of the options of convolutions.
const (
	PaddingSame  = opt.PaddingSame  // the result has the size of the input
	PaddingValid = opt.PaddingValid // no padding

	PaddingModeZeros     = opt.PaddingModeZeros
	PaddingModeReflect   = opt.PaddingModeReflect
	PaddingModeReplicate = opt.PaddingModeReplicate
	PaddingModeCircular  = opt.PaddingModeCircular
)

// The options of normalizations.
type (
	// Eps is added to a variance; 1e-5 without it, for RMSNorm the machine epsilon
	// of the dtype. For example Eps(1e-6).
	Eps = opt.Eps
	// Momentum is how much a batch moves the running statistics; 0.1 without it.
	// For example Momentum(0.01).
	Momentum = opt.Momentum
	// MomentumWord is [MomentumNone].
	MomentumWord = opt.MomentumWord
	// Affine gives a layer Weight and Bias; true without it.
	// For example Affine(false).
	Affine = opt.Affine
	// ElementwiseAffine gives a layer Weight and Bias; true without it.
	// For example ElementwiseAffine(false).
	ElementwiseAffine = opt.ElementwiseAffine
	// TrackRunningStats makes a layer keep running statistics; true without it.
	// For example TrackRunningStats(false).
	TrackRunningStats = opt.TrackRunningStats
)

// MomentumNone makes running statistics the mean over all batches,
// momentum=None.
const MomentumNone = opt.MomentumNone

// The options of activations, Dropout, Flatten and Embedding.
type (
	// P is the probability of dropping; 0.5 without it. For example P(0.1).
	P = opt.P
	// NegativeSlope is the slope of LeakyReLU where x is negative; 0.01 without it.
	// For example NegativeSlope(0.2).
	NegativeSlope = opt.NegativeSlope
	// Approximate is how GELU is computed; [ApproximateNone] without it.
	Approximate = opt.Approximate
	// StartDim is the first dimension that Flatten joins; 1 without it.
	// For example StartDim(0).
	StartDim = opt.StartDim
	// EndDim is the last dimension that Flatten joins; -1 without it.
	// For example EndDim(-2).
	EndDim = opt.EndDim
	// PaddingIdx is a row of an Embedding that starts as zeros and is not trained; a
	// negative one counts from the end. For example PaddingIdx(0).
	PaddingIdx = opt.PaddingIdx
	// MaxNorm scales rows that are longer down in place when they are looked up;
	// none without it. For example MaxNorm(1).
	MaxNorm = opt.MaxNorm
	// NormType is the exponent of the norm that MaxNorm limits; 2 without it.
	// For example NormType(1).
	NormType = opt.NormType
	// ScaleGradByFreq divides the gradient of a row by how often it occurs; false
	// without it. For example ScaleGradByFreq(true).
	ScaleGradByFreq = opt.ScaleGradByFreq
	// Sparse makes the gradient of an Embedding sparse; false without it.
	// For example Sparse(true).
	Sparse = opt.Sparse
)

// The words of [Approximate].
const (
	ApproximateNone = opt.ApproximateNone
	ApproximateTanh = opt.ApproximateTanh
)

// The options of losses.
type (
	// Reduction is what a loss does with its elements; [ReductionMean] without it.
	Reduction = opt.Reduction
	// IgnoreIndex is the class that does not count; -100 without it.
	// For example IgnoreIndex(0).
	IgnoreIndex = opt.IgnoreIndex
	// LabelSmoothing is how much of a target is spread over all classes, from 0 to
	// 1; 0 without it. For example LabelSmoothing(0.1).
	LabelSmoothing = opt.LabelSmoothing
	// Beta is where the parabola of SmoothL1Loss meets the line; 1 without it.
	// For example Beta(0.5).
	Beta = opt.Beta
	// Delta is where the parabola of HuberLoss meets the line; 1 without it.
	// For example Delta(0.5).
	Delta = opt.Delta
	// LogTarget says that the targets of KLDivLoss are logarithms; false without it.
	// For example LogTarget(true).
	LogTarget = opt.LogTarget
	// WeightOption is what [Weight] returns.
	WeightOption = opt.Weight
	// PosWeightOption is what [PosWeight] returns.
	PosWeightOption = opt.PosWeight
)

// The words of [Reduction].
const (
	ReductionMean      = opt.ReductionMean
	ReductionSum       = opt.ReductionSum
	ReductionNone      = opt.ReductionNone
	ReductionBatchMean = opt.ReductionBatchMean // KLDivLoss alone
)

// Weight is an option of losses: a factor for each class, or for each element.
// The loss makes it a buffer named "weight", which it owns. Without it, and for
// nil, the factors are 1.
func Weight(w *torch.Tensor) WeightOption { return opt.NewWeight(w) }

// PosWeight is an option of BCEWithLogitsLoss: a factor for positive targets.
// The loss makes it a buffer named "pos_weight", which it owns. Without it, and
// for nil, the factor is 1.
func PosWeight(w *torch.Tensor) PosWeightOption { return opt.NewPosWeight(w) }
