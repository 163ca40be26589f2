package functional

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The options of convolutions and poolings. Those in the plural give one number
// for each direction, such as Strides{2, 1}; one number in braces is for all.
type (
	// Stride is the step between windows: 1 without it, the kernel size for
	// poolings. For example Stride(2).
	Stride = opt.Stride
	// Strides is Stride for each direction. For example Strides{2, 1}.
	Strides = opt.Strides
	// Padding is how many elements are added at both ends of every direction: 0
	// without it. For example Padding(1).
	Padding = opt.Padding
	// Paddings is Padding for each direction. For example Paddings{1, 0}.
	Paddings = opt.Paddings
	// PaddingWord is a padding of convolutions said by a word: PaddingSame or
	// PaddingValid. Another word is ErrValue.
	PaddingWord = opt.PaddingWord
	// Dilation is the distance between the elements of a window: 1 without it.
	// For example Dilation(2).
	Dilation = opt.Dilation
	// Dilations is Dilation for each direction. For example Dilations{2, 1}.
	Dilations = opt.Dilations
	// OutputPadding is added to the end of every direction of the result: 0
	// without it. For example OutputPadding(1).
	OutputPadding = opt.OutputPadding
	// OutputPaddings is OutputPadding for each direction.
	// For example OutputPaddings{1, 0}.
	OutputPaddings = opt.OutputPaddings
	// Groups is into how many parts the channels are split: 1 without it.
	// For example Groups(4).
	Groups = opt.Groups
	// CeilMode says whether the size of the result is rounded up: false without it.
	// For example CeilMode(true).
	CeilMode = opt.CeilMode
	// CountIncludePad says whether padding counts in a mean: true without it.
	// For example CountIncludePad(false).
	CountIncludePad = opt.CountIncludePad
	// DivisorOverride is what the sum of a window is divided by: without it the
	// number of its elements. 0 is ErrValue. For example DivisorOverride(3).
	DivisorOverride = opt.DivisorOverride
)

// The paddings that are said by a word.
const (
	PaddingSame  = opt.PaddingSame  // as much as keeps the size, for strides of 1
	PaddingValid = opt.PaddingValid // none
)

// The options of activations, dropouts, normalizations and distances.
type (
	// NegativeSlope is the slope of LeakyReLU below 0: 0.01 without it.
	// For example NegativeSlope(0.2).
	NegativeSlope = opt.NegativeSlope
	// Alpha is the scale of ELU below 0: 1 without it. For example Alpha(0.5).
	Alpha = opt.Alpha
	// MinVal is the lower limit of Hardtanh: -1 without it.
	// For example MinVal(0).
	MinVal = opt.MinVal
	// MaxVal is the upper limit of Hardtanh: 1 without it.
	// For example MaxVal(6).
	MaxVal = opt.MaxVal
	// Beta is the sharpness of Softplus, and where the parabola of SmoothL1Loss
	// meets the line: 1 without it. For example Beta(0.5).
	Beta = opt.Beta
	// WithThreshold is where Softplus becomes linear: 20 without it.
	// For example WithThreshold(10).
	WithThreshold = opt.Threshold
	// Approximate is how GELU is computed: ApproximateNone without it. A word that
	// is none of the constants is ErrValue.
	Approximate = opt.Approximate
	// DType is the type that the input is converted to first; the zero value, and
	// leaving it out, keep the type. For example DType(torch.Float64).
	DType = opt.DType
	// P is the probability of a dropout, 0.5 without it, or the exponent of a norm,
	// 2 without it. For example P(0.1).
	P = opt.P
	// Training says whether the model is being trained: without it true for Dropout
	// and Dropout2d, false for AlphaDropout and BatchNorm, as in PyTorch.
	// For example Training(false).
	Training = opt.Training
	// UseInputStats says whether InstanceNorm uses the statistics of the input:
	// true without it. For example UseInputStats(false).
	UseInputStats = opt.UseInputStats
	// Momentum is how much the running statistics move: 0.1 without it.
	// For example Momentum(0.01).
	Momentum = opt.Momentum
	// Eps keeps a divisor away from 0. The default is said at each function.
	// For example Eps(1e-6).
	Eps = opt.Eps
	// Dim is the dimension that is worked along; a negative one counts from the
	// end. The default is said at each function. For example Dim(-1).
	Dim = opt.Dim
	// KeepDimFlag is the type of [KeepDim].
	KeepDimFlag = opt.KeepDimFlag
)

// KeepDim says that PairwiseDistance keeps the last dimension as one of size 1;
// !KeepDim, as leaving it out, that it does not.
const KeepDim KeepDimFlag = true

// The ways to compute GELU.
const (
	ApproximateNone = opt.ApproximateNone // exactly
	ApproximateTanh = opt.ApproximateTanh // with tanh
)

// The options of losses.
type (
	// Reduction is what a loss does with its elements: ReductionMean without it. A
	// word that is none of the constants is ErrValue.
	Reduction = opt.Reduction
	// IgnoreIndex is the class whose targets do not count: -100 without it.
	// For example IgnoreIndex(0).
	IgnoreIndex = opt.IgnoreIndex
	// LabelSmoothing is how much of a target is spread over all classes, from 0 to
	// 1: 0 without it. For example LabelSmoothing(0.1).
	LabelSmoothing = opt.LabelSmoothing
	// Delta is where the parabola of HuberLoss meets the line: 1 without it. It has
	// to be positive. For example Delta(0.5).
	Delta = opt.Delta
	// LogTarget says whether the targets of KLDiv are logarithms: false without it.
	// For example LogTarget(true).
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

// Weight is a factor for each class, of shape (C), or for each element: broadcast
// in a binary cross entropy, of the input's shape in other losses. Nil, as
// leaving it out, is 1. The tensor stays the caller's.
func Weight(w *torch.Tensor) WeightOption { return opt.NewWeight(w) }

// PosWeight is a factor for positive targets, broadcast. Nil, as leaving it out,
// is 1. The tensor stays the caller's.
func PosWeight(w *torch.Tensor) PosWeightOption { return opt.NewPosWeight(w) }

// The options of Embedding and OneHot.
type (
	// PaddingIdx is the row that gets no gradient, a negative one counted from the
	// end: none without it. One outside the table is ErrIndex.
	// For example PaddingIdx(0).
	PaddingIdx = opt.PaddingIdx
	// MaxNorm is the largest norm of a row: rows that are looked up and longer are
	// scaled down in place first. There is no limit without it.
	// For example MaxNorm(1).
	MaxNorm = opt.MaxNorm
	// NormType is the exponent of the norm that MaxNorm limits: 2 without it.
	// For example NormType(1).
	NormType = opt.NormType
	// ScaleGradByFreq says whether the gradient of a row is divided by how often it
	// occurs: false without it. For example ScaleGradByFreq(true).
	ScaleGradByFreq = opt.ScaleGradByFreq
	// Sparse says whether the gradient of the table is sparse: false without it.
	// For example Sparse(true).
	Sparse = opt.Sparse
	// NumClasses is the number of classes of OneHot: without it, and with -1, one
	// more than the largest index. For example NumClasses(10).
	NumClasses = opt.NumClasses
)

// The options of ScaledDotProductAttention.
type (
	// AttnMaskOption is what [AttnMask] returns.
	AttnMaskOption = opt.AttnMask
	// DropoutP is the probability of dropping a weight: 0 without it. It applies
	// always, so pass 0 outside training. For example DropoutP(0.1).
	DropoutP = opt.DropoutP
	// IsCausal says whether later keys are hidden from a query: false without it.
	// It excludes AttnMask. For example IsCausal(true).
	IsCausal = opt.IsCausal
	// Scale is the factor of the scores: 1 / sqrt(E) without it.
	// For example Scale(0.125).
	Scale = opt.Scale
	// EnableGQA says whether there may be fewer heads of keys and values than of
	// queries: false without it. For example EnableGQA(true).
	EnableGQA = opt.EnableGQA
)

// AttnMask is a mask of attention, broadcast to (*, L, S): numbers are added to
// the scores, and where a bool mask is false a key is hidden. Nil, as leaving it
// out, is no mask. The tensor stays the caller's.
func AttnMask(mask *torch.Tensor) AttnMaskOption { return opt.NewAttnMask(mask) }

// The options of Pad, Interpolate, GridSample and AffineGrid.
type (
	// Mode is how new elements are computed. The default, and the modes that a
	// function takes, are said at each; another one is ErrValue.
	Mode = opt.Mode
	// Value is what ModeConstant pads with: 0 without it.
	// For example Value(-1).
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
	// AlignCorners says whether the centers of the corners keep their places: false
	// without it. For example AlignCorners(true).
	AlignCorners = opt.AlignCorners
	// RecomputeScaleFactor says whether the factor is computed anew from the size
	// of the result: false without it. For example RecomputeScaleFactor(true).
	RecomputeScaleFactor = opt.RecomputeScaleFactor
	// Antialias says whether ModeBilinear and ModeBicubic smooth where sizes
	// shrink: false without it. For example Antialias(true).
	Antialias = opt.Antialias
	// PaddingMode is what GridSample finds outside of its input:
	// PaddingModeZeros without it. A word that is none of the constants is ErrValue.
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
