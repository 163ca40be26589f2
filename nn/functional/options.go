package functional

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// Options of convolution and pooling functions. The singular form, such as Stride(2),
// applies to all spatial dimensions. The plural form, such as Strides{2, 1}, has one
// number for each.
type (
	// Stride is the step between windows. The default is 1, or the kernel size for
	// pooling. For example Stride(2).
	Stride = opt.Stride
	// Strides is Stride for each dimension. For example Strides{2, 1}.
	Strides = opt.Strides
	// Padding is the number of elements added at both ends of each dimension. The
	// default is 0. For example Padding(1).
	Padding = opt.Padding
	// Paddings is Padding for each dimension. For example Paddings{1, 0}.
	Paddings = opt.Paddings
	// PaddingWord gives the padding of a convolution by name: PaddingSame or
	// PaddingValid. A function panics with ErrValue for any other word.
	PaddingWord = opt.PaddingWord
	// Dilation is the distance between the elements of a window. The default is 1.
	// For example Dilation(2).
	Dilation = opt.Dilation
	// Dilations is Dilation for each dimension. For example Dilations{2, 1}.
	Dilations = opt.Dilations
	// OutputPadding is added to the end of each dimension of the result. The default
	// is 0. For example OutputPadding(1).
	OutputPadding = opt.OutputPadding
	// OutputPaddings is OutputPadding for each dimension. For example
	// OutputPaddings{1, 0}.
	OutputPaddings = opt.OutputPaddings
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
	// elements in the window. It must not be 0. For example DivisorOverride(3).
	DivisorOverride = opt.DivisorOverride
)

// The values of [PaddingWord].
const (
	PaddingSame  = opt.PaddingSame  // the result has the size of the input; needs strides of 1
	PaddingValid = opt.PaddingValid // no padding
)

// Options of activations, dropouts, normalizations and distances.
type (
	// NegativeSlope is the slope of LeakyReLU below 0. The default is 0.01. For
	// example NegativeSlope(0.2).
	NegativeSlope = opt.NegativeSlope
	// Alpha is the scale of ELU and CELU for negative input, 1 by default. In
	// LocalResponseNorm it is the factor of the mean square, 1e-4 by default. For
	// example Alpha(0.5).
	Alpha = opt.Alpha
	// MinVal is the lower limit of Hardtanh. The default is -1. For example
	// MinVal(0).
	MinVal = opt.MinVal
	// MaxVal is the upper limit of Hardtanh. The default is 1. For example
	// MaxVal(6).
	MaxVal = opt.MaxVal
	// Lower is the smallest slope of RReLU for negative input. The default is 1/8.
	// For example Lower(0.1).
	Lower = opt.Lower
	// Upper is the largest slope of RReLU for negative input. The default is 1/3. For
	// example Upper(0.3).
	Upper = opt.Upper
	// Lambd is the half-width of the interval around 0 that Hardshrink sets to 0, and
	// the amount that Softshrink subtracts. The default is 0.5. For example
	// Lambd(0.3).
	Lambd = opt.Lambd
	// K is the number that LocalResponseNorm adds to the mean of squares. The default
	// is 1. For example K(2).
	K = opt.K
	// Tau is the temperature of GumbelSoftmax. The default is 1. For example
	// Tau(0.5).
	Tau = opt.Tau
	// Hard says whether GumbelSoftmax returns one-hot vectors. The default is false.
	// For example Hard(true).
	Hard = opt.Hard
	// Beta is the sharpness of Softplus and the threshold below which SmoothL1Loss is
	// quadratic; the default is 1. In LocalResponseNorm it is the exponent, 0.75 by
	// default. For example Beta(0.5).
	Beta = opt.Beta
	// WithThreshold is the value above which Softplus is linear. The default is 20.
	// For example WithThreshold(10).
	WithThreshold = opt.Threshold
	// Approximate says how GELU is computed. The default is ApproximateNone. A function
	// panics with ErrValue unless the value is one of the constants.
	Approximate = opt.Approximate
	// DType converts the input to a dtype first. By default, or for the zero value, the
	// input keeps its dtype. For example DType(torch.Float64).
	DType = opt.DType
	// P is the probability of a dropout, 0.5 by default, or the exponent of a norm, 2
	// by default. For example P(0.1).
	P = opt.P
	// Training says whether the model is being trained. As in PyTorch, the default
	// is true for Dropout, Dropout1d, Dropout2d and Dropout3d, and false for the alpha
	// dropouts, RReLU and BatchNorm. For example Training(false).
	Training = opt.Training
	// UseInputStats says whether InstanceNorm uses the statistics of the input.
	// The default is true. For example UseInputStats(false).
	UseInputStats = opt.UseInputStats
	// Momentum is the weight of a new batch in the running statistics. The default is
	// 0.1. For example Momentum(0.01).
	Momentum = opt.Momentum
	// Eps keeps a divisor away from 0. Each function states its default. For
	// example Eps(1e-6).
	Eps = opt.Eps
	// Dim is the dimension that a function works along; a negative Dim counts from
	// the end. Each function states its default. For example Dim(-1).
	Dim = opt.Dim
	// KeepDim says whether PairwiseDistance keeps the last dimension with size 1; keepdim
	// in Python. The default is false.
	KeepDim = opt.KeepDim
)

// The values of [Approximate].
const (
	ApproximateNone = opt.ApproximateNone // the exact formula
	ApproximateTanh = opt.ApproximateTanh // an approximation with tanh
)

// Options of losses.
type (
	// Reduction says how a loss combines its elements. The default is ReductionMean. A
	// function panics with ErrValue unless the value is one of the constants.
	Reduction = opt.Reduction
	// IgnoreIndex is a class index that a loss ignores. The default is -100. For example
	// IgnoreIndex(0).
	IgnoreIndex = opt.IgnoreIndex
	// LabelSmoothing is the fraction of a target that is spread over all classes, from 0
	// to 1. The default is 0. For example LabelSmoothing(0.1).
	LabelSmoothing = opt.LabelSmoothing
	// Delta is the threshold below which HuberLoss is quadratic. It must be positive.
	// The default is 1. For example Delta(0.5).
	Delta = opt.Delta
	// LogTarget says whether the targets of KLDiv are logarithms. The default is
	// false. For example LogTarget(true).
	LogTarget = opt.LogTarget
	// WeightOption is the result type of [Weight].
	WeightOption = opt.Weight
	// PosWeightOption is the result type of [PosWeight].
	PosWeightOption = opt.PosWeight
)

// The values of [Reduction].
const (
	ReductionMean      = opt.ReductionMean      // a scalar, the mean
	ReductionSum       = opt.ReductionSum       // a scalar, the sum
	ReductionNone      = opt.ReductionNone      // all elements
	ReductionBatchMean = opt.ReductionBatchMean // only for KLDiv: the sum divided by the batch size
)

// Weight is a factor for each class, of shape (C), or for each element. In a binary
// cross entropy it broadcasts; in other losses it has the input's shape. By default, or
// for nil, all factors are 1. The caller keeps ownership of the tensor.
func Weight(w *torch.Tensor) WeightOption { return opt.NewWeight(w) }

// PosWeight is a tensor of factors for positive targets. It broadcasts with the
// targets. By default, or for nil, all factors are 1. The caller keeps ownership of the
// tensor.
func PosWeight(w *torch.Tensor) PosWeightOption { return opt.NewPosWeight(w) }

// Options of Embedding, EmbeddingBag and OneHot.
type (
	// PaddingIdx is a row that gets no gradient; a negative index counts from the end. By
	// default there is no such row. A function panics with ErrIndex for an index outside
	// the weight. For example PaddingIdx(0).
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
	// Sparse says whether the gradient of the weight is sparse. The default is false. For
	// example Sparse(true).
	Sparse = opt.Sparse
	// IncludeLastOffset says whether the last offset of EmbeddingBag is the end of
	// the last bag. The default is false. For example IncludeLastOffset(true).
	IncludeLastOffset = opt.IncludeLastOffset
	// PerSampleWeightsOption is the result type of [PerSampleWeights].
	PerSampleWeightsOption = opt.PerSampleWeights
	// NumClasses is the number of classes of OneHot. By default, or for -1, it is one
	// more than the largest index. For example NumClasses(10).
	NumClasses = opt.NumClasses
)

// PerSampleWeights is a factor for each index in EmbeddingBag with ModeSum, in input's
// shape. By default, or for nil, all factors are 1. The caller keeps ownership of the
// tensor.
func PerSampleWeights(w *torch.Tensor) PerSampleWeightsOption { return opt.NewPerSampleWeights(w) }

// The modes of EmbeddingBag.
const (
	ModeSum  = opt.ModeSum
	ModeMean = opt.ModeMean
	ModeMax  = opt.ModeMax
)

// Options of ScaledDotProductAttention.
type (
	// AttnMaskOption is the result type of [AttnMask].
	AttnMaskOption = opt.AttnMask
	// DropoutP is the probability of dropping an attention weight. The default is 0.
	// It always applies, so pass 0 outside training. For example DropoutP(0.1).
	DropoutP = opt.DropoutP
	// IsCausal says whether later keys are hidden from a query. The default is
	// false. It cannot be combined with AttnMask. For example IsCausal(true).
	IsCausal = opt.IsCausal
	// Scale is the factor by which the scores are multiplied. The default is 1 /
	// sqrt(E). For example Scale(0.125).
	Scale = opt.Scale
	// EnableGQA says whether keys and values may have fewer heads than queries.
	// The default is false. For example EnableGQA(true).
	EnableGQA = opt.EnableGQA
)

// AttnMask is an attention mask that broadcasts to (*, L, S). Where a bool mask is false,
// it hides a key. Other masks are added to the scores. By default, or for nil, there is
// no mask. The caller keeps ownership of the tensor.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// Options of Pad, Interpolate, GridSample and AffineGrid.
type (
	// Mode says how new elements are computed. Each function states its default and its
	// valid modes, and panics with ErrValue for any other.
	Mode = opt.Mode
	// Value is the padding value of ModeConstant. The default is 0. For example
	// Value(-1).
	Value = opt.Value
	// Size is the size of the result in each dimension. For example Size(32).
	Size = opt.Size
	// Sizes is Size for each dimension. For example Sizes{32, 48}.
	Sizes = opt.Sizes
	// ScaleFactor is the ratio of the output size to the input size. For example
	// ScaleFactor(2).
	ScaleFactor = opt.ScaleFactor
	// ScaleFactors is ScaleFactor for each dimension. For example ScaleFactors{2,
	// 0.5}.
	ScaleFactors = opt.ScaleFactors
	// AlignCorners says whether the centers of the corner elements keep their
	// positions. The default is false. For example AlignCorners(true).
	AlignCorners = opt.AlignCorners
	// RecomputeScaleFactor says whether ScaleFactor is recomputed from the size of the
	// result, which is rounded. The default is false. For example
	// RecomputeScaleFactor(true).
	RecomputeScaleFactor = opt.RecomputeScaleFactor
	// Antialias says whether ModeBilinear and ModeBicubic smooth the image when
	// they shrink it. The default is false. For example Antialias(true).
	Antialias = opt.Antialias
	// PaddingMode says what GridSample returns for positions outside its input. The
	// default is PaddingModeZeros. GridSample panics with ErrValue unless the value is
	// one of the constants.
	PaddingMode = opt.PaddingMode
)

// The values of [Mode], each with the functions that accept it.
const (
	ModeConstant     = opt.ModeConstant     // Pad: with a constant value
	ModeReflect      = opt.ModeReflect      // Pad: with the mirror image
	ModeReplicate    = opt.ModeReplicate    // Pad: with the value at the edge
	ModeCircular     = opt.ModeCircular     // Pad: with the values at the opposite end
	ModeNearest      = opt.ModeNearest      // Interpolate, GridSample
	ModeNearestExact = opt.ModeNearestExact // Interpolate
	ModeLinear       = opt.ModeLinear       // Interpolate, one spatial dimension
	ModeBilinear     = opt.ModeBilinear     // Interpolate, two spatial dimensions; GridSample
	ModeBicubic      = opt.ModeBicubic      // Interpolate, two spatial dimensions; GridSample
	ModeTrilinear    = opt.ModeTrilinear    // Interpolate, three spatial dimensions
	ModeArea         = opt.ModeArea         // Interpolate: averages areas
)

// The values of [PaddingMode].
const (
	PaddingModeZeros      = opt.PaddingModeZeros
	PaddingModeBorder     = opt.PaddingModeBorder     // the value at the edge
	PaddingModeReflection = opt.PaddingModeReflection // the value of the input mirrored at the edge
)
