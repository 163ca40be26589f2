package functional

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of convolutions and poolings. Those in the plural give one number
// for each direction, such as Strides{2, 1}; one number in braces is for all.
type (
	// Stride is the step between windows. The default is 1, and for poolings the
	// kernel size. For example Stride(2).
	Stride = opt.Stride
	// Strides is Stride for each direction. For example Strides{2, 1}.
	Strides = opt.Strides
	// Padding is the number of elements added at both ends of every direction. The
	// default is 0. For example Padding(1).
	Padding = opt.Padding
	// Paddings is Padding for each direction. For example Paddings{1, 0}.
	Paddings = opt.Paddings
	// PaddingWord is a padding of convolutions that is named by a word:
	// PaddingSame or PaddingValid. Another word is ErrValue.
	PaddingWord = opt.PaddingWord
	// Dilation is the distance between the elements of a window. The default is 1.
	// For example Dilation(2).
	Dilation = opt.Dilation
	// Dilations is Dilation for each direction. For example Dilations{2, 1}.
	Dilations = opt.Dilations
	// OutputPadding is added to the end of every direction of the result. The
	// default is 0. For example OutputPadding(1).
	OutputPadding = opt.OutputPadding
	// OutputPaddings is OutputPadding for each direction.
	// For example OutputPaddings{1, 0}.
	OutputPaddings = opt.OutputPaddings
	// Groups is the number of groups that the channels are split into. The default
	// is 1. For example Groups(4).
	Groups = opt.Groups
	// CeilMode says whether the size of the result is rounded up. The default is
	// false. For example CeilMode(true).
	CeilMode = opt.CeilMode
	// CountIncludePad says whether padding counts in a mean. The default is true.
	// For example CountIncludePad(false).
	CountIncludePad = opt.CountIncludePad
	// DivisorOverride is what the sum of a window is divided by. The default is
	// the number of its elements. 0 is ErrValue. For example DivisorOverride(3).
	DivisorOverride = opt.DivisorOverride
)

// The paddings that have a name.
const (
	PaddingSame  = opt.PaddingSame  // as much as keeps the size, for strides of 1
	PaddingValid = opt.PaddingValid // none
)

// The options of activations, dropouts, normalizations and distances.
type (
	// NegativeSlope is the slope of LeakyReLU below 0. The default is 0.01. For
	// example NegativeSlope(0.2).
	NegativeSlope = opt.NegativeSlope
	// Alpha is the scale of ELU and CELU below 0, by default 1, and the factor of the
	// mean of squares in LocalResponseNorm, by default 1e-4. For example Alpha(0.5).
	Alpha = opt.Alpha
	// MinVal is the lower limit of Hardtanh. The default is -1. For example
	// MinVal(0).
	MinVal = opt.MinVal
	// MaxVal is the upper limit of Hardtanh. The default is 1. For example
	// MaxVal(6).
	MaxVal = opt.MaxVal
	// Lower is the least slope of RReLU below 0. The default is 1/8. For example
	// Lower(0.1).
	Lower = opt.Lower
	// Upper is the largest slope of RReLU below 0. The default is 1/3. For example
	// Upper(0.3).
	Upper = opt.Upper
	// Lambd is how far from 0 Hardshrink and Softshrink reach. The default is 0.5.
	// For example Lambd(0.3).
	Lambd = opt.Lambd
	// K is what LocalResponseNorm adds to the mean of squares. The default is 1. For
	// example K(2).
	K = opt.K
	// Tau is the temperature of GumbelSoftmax. The default is 1. For example
	// Tau(0.5).
	Tau = opt.Tau
	// Hard says whether GumbelSoftmax returns one-hot vectors. The default is false.
	// For example Hard(true).
	Hard = opt.Hard
	// Beta is the sharpness of Softplus, and where the parabola of SmoothL1Loss
	// meets the line, by default 1, and the exponent of LocalResponseNorm, by default
	// 0.75. For example Beta(0.5).
	Beta = opt.Beta
	// WithThreshold is where Softplus becomes linear. The default is 20. For
	// example WithThreshold(10).
	WithThreshold = opt.Threshold
	// Approximate says how GELU is computed. The default is ApproximateNone. A
	// word that is not one of the constants is ErrValue.
	Approximate = opt.Approximate
	// DType is the dtype that the input is converted to first. The default, and
	// the zero value, keep the dtype. For example DType(torch.Float64).
	DType = opt.DType
	// P is the probability of a dropout, by default 0.5, or the exponent of a
	// norm, by default 2. For example P(0.1).
	P = opt.P
	// Training says whether the model is being trained. As in PyTorch, the default
	// is true for Dropout, Dropout1d, Dropout2d and Dropout3d, and false for the alpha
	// dropouts, RReLU and BatchNorm. For example Training(false).
	Training = opt.Training
	// UseInputStats says whether InstanceNorm uses the statistics of the input.
	// The default is true. For example UseInputStats(false).
	UseInputStats = opt.UseInputStats
	// Momentum says how far each batch moves the running statistics. The default
	// is 0.1. For example Momentum(0.01).
	Momentum = opt.Momentum
	// Eps keeps a divisor away from 0. Each function states its default. For
	// example Eps(1e-6).
	Eps = opt.Eps
	// Dim is the dimension that the function works along; a negative one counts
	// from the end. Each function states its default. For example Dim(-1).
	Dim = opt.Dim
	// KeepDim says whether PairwiseDistance keeps the last dimension, with size 1. keepdim in
	// Python, False unless given.
	KeepDim = opt.KeepDim
)

// The ways to compute GELU.
const (
	ApproximateNone = opt.ApproximateNone // exactly
	ApproximateTanh = opt.ApproximateTanh // with tanh
)

// The options of losses.
type (
	// Reduction says how a loss combines its elements. The default is
	// ReductionMean. A word that is not one of the constants is ErrValue.
	Reduction = opt.Reduction
	// IgnoreIndex is the class whose targets do not count. The default is -100.
	// For example IgnoreIndex(0).
	IgnoreIndex = opt.IgnoreIndex
	// LabelSmoothing is the part of a target that is spread over all classes, from
	// 0 to 1. The default is 0. For example LabelSmoothing(0.1).
	LabelSmoothing = opt.LabelSmoothing
	// Delta is where the parabola of HuberLoss meets the line. The default is 1.
	// It has to be positive. For example Delta(0.5).
	Delta = opt.Delta
	// LogTarget says whether the targets of KLDiv are logarithms. The default is
	// false. For example LogTarget(true).
	LogTarget = opt.LogTarget
	// WeightOption is what [Weight] returns.
	WeightOption = opt.Weight
	// PosWeightOption is what [PosWeight] returns.
	PosWeightOption = opt.PosWeight
)

// The reductions.
const (
	ReductionMean      = opt.ReductionMean      // a scalar, the mean
	ReductionSum       = opt.ReductionSum       // a scalar, the sum
	ReductionNone      = opt.ReductionNone      // all elements
	ReductionBatchMean = opt.ReductionBatchMean // KLDiv alone: the sum divided by the batch size
)

// Weight is a factor for each class, of shape (C), or for each element:
// broadcast in a binary cross entropy, of the input's shape in other losses.
// The default, and nil, is 1. The tensor still belongs to the caller.
func Weight(w *torch.Tensor) WeightOption { return opt.NewWeight(w) }

// PosWeight is a factor for positive targets, which broadcasts. The default,
// and nil, is 1. The tensor still belongs to the caller.
func PosWeight(w *torch.Tensor) PosWeightOption { return opt.NewPosWeight(w) }

// The options of Embedding, EmbeddingBag and OneHot.
type (
	// PaddingIdx is a row that gets no gradient; a negative index counts from the
	// end. By default there is none. An index outside the table is ErrIndex. For
	// example PaddingIdx(0).
	PaddingIdx = opt.PaddingIdx
	// MaxNorm is the largest norm of a row. Longer rows are scaled down in place
	// when they are looked up. By default there is no limit. For example
	// MaxNorm(1).
	MaxNorm = opt.MaxNorm
	// NormType is the exponent of the norm that MaxNorm limits. The default is 2.
	// For example NormType(1).
	NormType = opt.NormType
	// ScaleGradByFreq says whether the gradient of a row is divided by how often
	// the row occurs. The default is false. For example ScaleGradByFreq(true).
	ScaleGradByFreq = opt.ScaleGradByFreq
	// Sparse says whether the gradient of the table is sparse. The default is
	// false. For example Sparse(true).
	Sparse = opt.Sparse
	// IncludeLastOffset says that the last offset of EmbeddingBag is where the last
	// bag ends. The default is false. For example IncludeLastOffset(true).
	IncludeLastOffset = opt.IncludeLastOffset
	// PerSampleWeightsOption is what [PerSampleWeights] returns.
	PerSampleWeightsOption = opt.PerSampleWeights
	// NumClasses is the number of classes of OneHot. The default, and -1, is one
	// more than the largest index. For example NumClasses(10).
	NumClasses = opt.NumClasses
)

// PerSampleWeights is a factor for each index that EmbeddingBag with ModeSum looks
// up, of input's size. The default, and nil, is 1. The tensor still belongs to the
// caller.
func PerSampleWeights(w *torch.Tensor) PerSampleWeightsOption { return opt.NewPerSampleWeights(w) }

// The ways in which EmbeddingBag combines rows.
const (
	ModeSum  = opt.ModeSum
	ModeMean = opt.ModeMean
	ModeMax  = opt.ModeMax
)

// The options of ScaledDotProductAttention.
type (
	// AttnMaskOption is what [AttnMask] returns.
	AttnMaskOption = opt.AttnMask
	// DropoutP is the probability of dropping a weight. The default is 0. It
	// always applies, so pass 0 outside of training. For example DropoutP(0.1).
	DropoutP = opt.DropoutP
	// IsCausal says whether later keys are hidden from a query. The default is
	// false. It cannot be combined with AttnMask. For example IsCausal(true).
	IsCausal = opt.IsCausal
	// Scale is the factor of the scores. The default is 1 / sqrt(E). For example
	// Scale(0.125).
	Scale = opt.Scale
	// EnableGQA says whether keys and values may have fewer heads than queries.
	// The default is false. For example EnableGQA(true).
	EnableGQA = opt.EnableGQA
)

// AttnMask is a mask for attention, which broadcasts to (*, L, S). Numbers are
// added to the scores; a bool mask hides a key where it is false. The default,
// and nil, is no mask. The tensor still belongs to the caller.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// The options of Pad, Interpolate, GridSample and AffineGrid.
type (
	// Mode says how new elements are computed. Each function states its default
	// and the modes that it takes; another one is ErrValue.
	Mode = opt.Mode
	// Value is what ModeConstant pads with. The default is 0. For example
	// Value(-1).
	Value = opt.Value
	// Size is the size of the result in every direction. For example Size(32).
	Size = opt.Size
	// Sizes is Size for each direction. For example Sizes{32, 48}.
	Sizes = opt.Sizes
	// ScaleFactor is what every size is multiplied by.
	// For example ScaleFactor(2).
	ScaleFactor = opt.ScaleFactor
	// ScaleFactors is ScaleFactor for each direction.
	// For example ScaleFactors{2, 0.5}.
	ScaleFactors = opt.ScaleFactors
	// AlignCorners says whether the centers of the corner elements keep their
	// positions. The default is false. For example AlignCorners(true).
	AlignCorners = opt.AlignCorners
	// RecomputeScaleFactor says whether the factor is recomputed from the size of
	// the result. The default is false. For example RecomputeScaleFactor(true).
	RecomputeScaleFactor = opt.RecomputeScaleFactor
	// Antialias says whether ModeBilinear and ModeBicubic smooth the image when
	// they shrink it. The default is false. For example Antialias(true).
	Antialias = opt.Antialias
	// PaddingMode says what GridSample finds outside of its input. The default is
	// PaddingModeZeros. A word that is not one of the constants is ErrValue.
	PaddingMode = opt.PaddingMode
)

// The modes.
const (
	ModeConstant     = opt.ModeConstant     // Pad: one value
	ModeReflect      = opt.ModeReflect      // Pad: mirrored at the edge
	ModeReplicate    = opt.ModeReplicate    // Pad: the value at the edge
	ModeCircular     = opt.ModeCircular     // Pad: from the other end
	ModeNearest      = opt.ModeNearest      // Interpolate, GridSample
	ModeNearestExact = opt.ModeNearestExact // Interpolate
	ModeLinear       = opt.ModeLinear       // Interpolate in one direction
	ModeBilinear     = opt.ModeBilinear     // Interpolate in two, GridSample
	ModeBicubic      = opt.ModeBicubic      // Interpolate in two, GridSample
	ModeTrilinear    = opt.ModeTrilinear    // Interpolate in three
	ModeArea         = opt.ModeArea         // Interpolate: means of areas
)

// What GridSample finds outside of its input.
const (
	PaddingModeZeros      = opt.PaddingModeZeros
	PaddingModeBorder     = opt.PaddingModeBorder     // the value at the edge
	PaddingModeReflection = opt.PaddingModeReflection // mirrored at the edge
)
