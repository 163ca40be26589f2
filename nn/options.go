package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Options of parameters, accepted by most layers.
type (
	// Bias says whether a layer has a bias. The default is true. For example
	// Bias(false).
	Bias = opt.Bias
	// Device is the device of parameters and buffers. By default, or for the zero
	// Device, it is the default device. For example Device(torch.CUDA.At(0)).
	Device = opt.Device
	// DType is the dtype of parameters and buffers. By default, or for the zero DType,
	// it is the default dtype. For example DType(torch.Float64).
	DType = opt.DType
)

// Options of convolution and pooling layers. The singular form, such as Stride(2),
// applies to all spatial dimensions. The plural form, such as Strides{2, 1}, has one
// number for each.
type (
	// Stride is the step between windows. The default is 1; for pooling layers it is the
	// size of the window. For example Stride(2).
	Stride = opt.Stride
	// Strides is Stride in each dimension. For example Strides{2, 1}.
	Strides = opt.Strides
	// Padding is the number of elements added at both ends of each dimension. The
	// default is 0. For example Padding(1).
	Padding = opt.Padding
	// Paddings is Padding in each dimension. For example Paddings{1, 0}.
	Paddings = opt.Paddings
	// PaddingWord gives the padding of a convolution by name: [PaddingSame] or
	// [PaddingValid].
	PaddingWord = opt.PaddingWord
	// PaddingMode says what a convolution pads with. The default is
	// [PaddingModeZeros].
	PaddingMode = opt.PaddingMode
	// Dilation is the distance between the elements of a window. The default is 1.
	// For example Dilation(2).
	Dilation = opt.Dilation
	// Dilations is Dilation in each dimension. For example Dilations{2, 1}.
	Dilations = opt.Dilations
	// Groups is the number of groups that the channels are split into. The default
	// is 1. For example Groups(4).
	Groups = opt.Groups
	// CeilMode says whether the size of the result is rounded up. The default is
	// false. For example CeilMode(true).
	CeilMode = opt.CeilMode
	// CountIncludePad says whether the mean includes padding. The default is true.
	// For example CountIncludePad(false).
	CountIncludePad = opt.CountIncludePad
	// DivisorOverride is the divisor of a window's sum. The default is the number of
	// elements in the window. For example DivisorOverride(3).
	DivisorOverride = opt.DivisorOverride
)

// The values of [PaddingWord] and [PaddingMode].
const (
	PaddingSame  = opt.PaddingSame  // the result has the size of the input
	PaddingValid = opt.PaddingValid // no padding

	PaddingModeZeros     = opt.PaddingModeZeros
	PaddingModeReflect   = opt.PaddingModeReflect
	PaddingModeReplicate = opt.PaddingModeReplicate
	PaddingModeCircular  = opt.PaddingModeCircular
)

// Options of normalizations.
type (
	// Eps keeps a divisor away from 0. The default is 1e-5. For RMSNorm it is the
	// machine epsilon of the dtype, for CosineSimilarity 1e-8, and for
	// PairwiseDistance 1e-6. For example Eps(1e-6).
	Eps = opt.Eps
	// Momentum is the weight of a new batch in the running statistics. The default is
	// 0.1. For example Momentum(0.01).
	Momentum = opt.Momentum
	// MomentumWord is the type of [MomentumNone].
	MomentumWord = opt.MomentumWord
	// Affine says whether a layer has Weight and Bias. The default is true, or false for
	// InstanceNorm. For example Affine(false).
	Affine = opt.Affine
	// ElementwiseAffine says whether a layer has Weight and Bias. The default is
	// true. For example ElementwiseAffine(false).
	ElementwiseAffine = opt.ElementwiseAffine
	// TrackRunningStats says whether a layer keeps running statistics. The default is
	// true, or false for InstanceNorm. For example TrackRunningStats(false).
	TrackRunningStats = opt.TrackRunningStats
)

// MomentumNone makes the running statistics the mean over all batches; momentum=None in
// Python.
const MomentumNone = opt.MomentumNone

// Options of norms, Flatten and embeddings.
type (
	// P is the exponent of a norm. The default is 2. For example P(1).
	P = opt.P
	// StartDim is the first dimension that Flatten joins. The default is 1. For
	// example StartDim(0).
	StartDim = opt.StartDim
	// EndDim is the last dimension that Flatten joins. The default is -1, the last
	// dimension. For example EndDim(-2).
	EndDim = opt.EndDim
	// IncludeLastOffset says whether the last offset of an EmbeddingBag is the end of
	// the last bag. The default is false. For example IncludeLastOffset(true).
	IncludeLastOffset = opt.IncludeLastOffset
	// Freeze says whether a pretrained table stays fixed in training. The default is true. For
	// example Freeze(false).
	Freeze = opt.Freeze
	// PerSampleWeightsOption is the result type of [PerSampleWeights].
	PerSampleWeightsOption = opt.PerSampleWeights
	// PaddingIdx is a row of an Embedding that starts as zeros and is not trained.
	// A negative index counts from the end. For example PaddingIdx(0).
	PaddingIdx = opt.PaddingIdx
	// MaxNorm is the largest norm of a row. Rows with a larger norm are scaled down in
	// place when they are looked up. By default there is no limit. For example
	// MaxNorm(1).
	MaxNorm = opt.MaxNorm
	// NormType is the exponent of the norm that MaxNorm limits. The default is 2.
	// For example NormType(1).
	NormType = opt.NormType
	// ScaleGradByFreq says whether the gradient of a row is divided by how often
	// the row occurs. The default is false. For example ScaleGradByFreq(true).
	ScaleGradByFreq = opt.ScaleGradByFreq
	// Sparse says whether the gradient of an Embedding is sparse. The default is
	// false. For example Sparse(true).
	Sparse = opt.Sparse
)

// Options of losses.
type (
	// Reduction says how a loss combines its elements. The default is
	// [ReductionMean].
	Reduction = opt.Reduction
	// IgnoreIndex is a class index that a loss ignores. The default is -100. For example
	// IgnoreIndex(0).
	IgnoreIndex = opt.IgnoreIndex
	// LabelSmoothing is the fraction of a target that is spread over all classes, from 0
	// to 1. The default is 0. For example LabelSmoothing(0.1).
	LabelSmoothing = opt.LabelSmoothing
	// Beta is the threshold below which SmoothL1Loss is quadratic, and the sharpness
	// of Softplus; the default is 1. In a local response normalization it is the
	// exponent, 0.75 by default. For example Beta(0.5).
	Beta = opt.Beta
	// Delta is the threshold below which HuberLoss is quadratic. The default is 1.
	// For example Delta(0.5).
	Delta = opt.Delta
	// LogTarget says whether the targets of KLDivLoss are logarithms. The default is
	// false. For example LogTarget(true).
	LogTarget = opt.LogTarget
	// WeightOption is the result type of [Weight].
	WeightOption = opt.Weight
	// PosWeightOption is the result type of [PosWeight].
	PosWeightOption = opt.PosWeight
)

// The values of [Reduction].
const (
	ReductionMean      = opt.ReductionMean
	ReductionSum       = opt.ReductionSum
	ReductionNone      = opt.ReductionNone
	ReductionBatchMean = opt.ReductionBatchMean // only for KLDivLoss
)

// Weight is an option of losses: a factor for each class, or for each element. The loss
// takes ownership of the tensor and makes it a buffer named "weight". By default, or if
// w is nil, all factors are 1.
func Weight(w *torch.Tensor) WeightOption { return opt.NewWeight(w) }

// PosWeight is an option of BCEWithLogitsLoss: a factor for positive targets. The loss
// takes ownership of the tensor and makes it a buffer named "pos_weight". By default,
// or if w is nil, all factors are 1.
func PosWeight(w *torch.Tensor) PosWeightOption { return opt.NewPosWeight(w) }
