package nn

import "github.com/gotorch/gotorch/internal/opt"

// The options of margin, likelihood and sequence losses.
type (
	// Margin is the margin of a loss. Each constructor states its default. For
	// example Margin(0.2).
	Margin = opt.Margin
	// Swap says whether a triplet loss uses the distance between positive and negative
	// where it is smaller than the distance between anchor and negative. The default is
	// false. For example Swap(true).
	Swap = opt.Swap
	// DistanceFunction computes the distance in TripletMarginWithDistanceLoss: one
	// number for each pair of rows of x and y. It may be a module's Forward. By
	// default, and for nil, the distance is a PairwiseDistance.
	DistanceFunction = opt.DistanceFunction
	// LogInput says whether the input of PoissonNLLLoss is the logarithm of the
	// rate. The default is true. For example LogInput(false).
	LogInput = opt.LogInput
	// Full says whether a likelihood loss includes its constant term. The default is
	// false. For example Full(true).
	Full = opt.Full
	// Blank is the class index of CTC's blank label. The default is 0. For example
	// Blank(28).
	Blank = opt.Blank
	// ZeroInfinity says whether CTCLoss and its gradient are 0 for a target that is
	// longer than its input. The default is false. For example ZeroInfinity(true).
	ZeroInfinity = opt.ZeroInfinity
	// DivValue is the factor by which the vectors of each further cluster of
	// AdaptiveLogSoftmaxWithLoss shrink. The default is 4. For example DivValue(2).
	DivValue = opt.DivValue
	// HeadBias says whether the head of AdaptiveLogSoftmaxWithLoss has a bias. The
	// default is false. For example HeadBias(true).
	HeadBias = opt.HeadBias
)

// The option types of losses. Constructors with the same options share a type. Every
// type includes [Base.As].
type (
	// A MarginLossOption is [Margin], [Reduction] or [Base.As].
	MarginLossOption interface{ opt.MarginLossLayer }
	// A MultiMarginLossOption is [P], [Margin], [Weight], [Reduction] or [Base.As].
	MultiMarginLossOption interface{ opt.MultiMarginLayer }
	// A MultiLabelSoftMarginLossOption is [Weight], [Reduction] or [Base.As].
	MultiLabelSoftMarginLossOption interface{ opt.MultiLabelSoftMarginLayer }
	// A TripletMarginLossOption is [Margin], [P], [Eps], [Swap], [Reduction] or
	// [Base.As].
	TripletMarginLossOption interface{ opt.TripletMarginLayer }
	// A TripletMarginWithDistanceLossOption is a [DistanceFunction], [Margin],
	// [Swap], [Reduction] or [Base.As].
	TripletMarginWithDistanceLossOption interface {
		opt.TripletMarginWithDistanceLayer
	}
	// A PoissonNLLLossOption is [LogInput], [Full], [Eps], [Reduction] or [Base.As].
	PoissonNLLLossOption interface{ opt.PoissonNLLLayer }
	// A GaussianNLLLossOption is [Full], [Eps], [Reduction] or [Base.As].
	GaussianNLLLossOption interface{ opt.GaussianNLLLayer }
	// A CTCLossOption is [Blank], [ZeroInfinity], [Reduction] or [Base.As].
	CTCLossOption interface{ opt.CTCLayer }
	// An AdaptiveLogSoftmaxOption is [DivValue], [HeadBias], [Device], [DType] or
	// [Base.As].
	AdaptiveLogSoftmaxOption interface{ opt.AdaptiveLogSoftmaxLayer }
)
