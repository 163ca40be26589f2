package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// The option types of layers with windows and of layers that resize. Constructors with
// the same options share a type. Every type includes [Base.As].
type (
	// A ConvTransposeOption is [Stride], [Strides], [Padding], [Paddings],
	// [OutputPadding], [OutputPaddings], [Dilation], [Dilations], [Groups], [Bias],
	// [Device], [DType] or [Base.As].
	ConvTransposeOption interface{ opt.ConvTransposeLayer }
	// An AvgPool1dOption is [Stride], [Strides], [Padding], [Paddings], [CeilMode],
	// [CountIncludePad] or [Base.As].
	AvgPool1dOption interface{ opt.AvgPool1dLayer }
	// An LPPoolOption is [Stride], [Strides], [CeilMode] or [Base.As].
	LPPoolOption interface{ opt.LPPoolLayer }
	// A FractionalPoolOption is [OutputSize], [OutputSizes], [OutputRatio],
	// [OutputRatios], [RandomSamples] or [Base.As]. Exactly one size or ratio is
	// required.
	FractionalPoolOption interface{ opt.FractionalPoolLayer }
	// A MaxUnpoolOption is [Stride], [Strides], [Padding], [Paddings] or [Base.As].
	MaxUnpoolOption interface{ opt.MaxUnpoolLayer }
	// A FoldOption is [Dilation], [Dilations], [Padding], [Paddings], [Stride],
	// [Strides] or [Base.As].
	FoldOption interface{ opt.FoldLayer }
	// An UpsampleOption is [Size], [Sizes], [ScaleFactor], [ScaleFactors], [Mode],
	// [AlignCorners], [RecomputeScaleFactor] or [Base.As]. Exactly one size or factor
	// is required.
	UpsampleOption interface{ opt.UpsampleLayer }
	// An UpsamplingOption is [Size], [Sizes], [ScaleFactor], [ScaleFactors] or
	// [Base.As]. Exactly one size or factor is required.
	UpsamplingOption interface{ opt.UpsamplingLayer }
)

// Options of transposed convolutions and of fractional pooling layers.
type (
	// OutputPadding is added to one end of each dimension of the result. The default
	// is 0. For example OutputPadding(1).
	OutputPadding = opt.OutputPadding
	// OutputPaddings is OutputPadding in each dimension. For example
	// OutputPaddings{1, 0}.
	OutputPaddings = opt.OutputPaddings
	// OutputSize is the size of the result in each dimension. For example
	// OutputSize(7).
	OutputSize = opt.OutputSize
	// OutputSizes is OutputSize in each dimension. For example OutputSizes{7, 5}.
	OutputSizes = opt.OutputSizes
	// OutputRatio is the size of the result relative to the size of the input, between 0
	// and 1. For example OutputRatio(0.7).
	OutputRatio = opt.OutputRatio
	// OutputRatios is OutputRatio in each dimension. For example
	// OutputRatios{0.7, 0.5}.
	OutputRatios = opt.OutputRatios
	// RandomSamplesOption is the result type of [RandomSamples].
	RandomSamplesOption = opt.RandomSamples
)

// RandomSamples gives the random numbers that place the windows of a fractional pooling
// layer. They are between 0 and 1, in a tensor of shape (N, C, 2), or (N, C, 3) for
// volumes. The layer takes ownership of the tensor and makes it a buffer named
// "_random_samples". By default, and for nil, each Forward draws new numbers.
func RandomSamples(t *torch.Tensor) RandomSamplesOption { return opt.NewRandomSamples(t) }

// Options of Upsample.
type (
	// Size is the size of the result in each dimension. For example Size(32).
	Size = opt.Size
	// Sizes is Size in each dimension. For example Sizes{32, 48}.
	Sizes = opt.Sizes
	// ScaleFactor is the ratio of the output size to the input size. For example
	// ScaleFactor(2).
	ScaleFactor = opt.ScaleFactor
	// ScaleFactors is ScaleFactor in each dimension. For example
	// ScaleFactors{2, 0.5}.
	ScaleFactors = opt.ScaleFactors
	// AlignCorners says whether the centers of the corner elements keep their
	// positions. The default is false. For example AlignCorners(true).
	AlignCorners = opt.AlignCorners
	// RecomputeScaleFactor says whether ScaleFactor is recomputed from the rounded size
	// of the result. The default is false. For example RecomputeScaleFactor(true).
	RecomputeScaleFactor = opt.RecomputeScaleFactor
)

// The values of [Mode] for Upsample. Some apply only to inputs with a certain number of
// spatial dimensions.
const (
	ModeNearest      = opt.ModeNearest
	ModeNearestExact = opt.ModeNearestExact
	ModeLinear       = opt.ModeLinear    // one spatial dimension
	ModeBilinear     = opt.ModeBilinear  // two spatial dimensions
	ModeBicubic      = opt.ModeBicubic   // two spatial dimensions
	ModeTrilinear    = opt.ModeTrilinear // three spatial dimensions
	ModeArea         = opt.ModeArea      // averages areas
)

// SizeNone in the output size of an adaptive pooling layer keeps the input's size in that
// dimension, as Python's None does: []int64{SizeNone, 7}.
const SizeNone = F.SizeNone
