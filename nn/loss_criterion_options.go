package nn

import "github.com/gotorch/gotorch/internal/opt"

// The options of the losses of margins, likelihoods and sequences.
type (
	// Margin is the difference that a loss asks for. Each constructor states its
	// default. For example Margin(0.2).
	Margin = opt.Margin
	// Swap says whether a triplet loss takes the distance of the positive to the
	// negative where that is smaller than the anchor's. The default is false. For
	// example Swap(true).
	Swap = opt.Swap
	// DistanceFunction is the distance of TripletMarginWithDistanceLoss: of two
	// batches, a number for each pair. It may be the Forward of a module. The
	// default, and nil, is a PairwiseDistance.
	DistanceFunction = opt.DistanceFunction
	// LogInput says whether the input of PoissonNLLLoss is the logarithm of the
	// rate. The default is true. For example LogInput(false).
	LogInput = opt.LogInput
	// Full says whether a likelihood has its constant part. The default is false.
	// For example Full(true).
	Full = opt.Full
	// Blank is the class that stands for no label. The default is 0. For example
	// Blank(28).
	Blank = opt.Blank
	// ZeroInfinity says whether CTCLoss is 0, gradient included, for a target that
	// is longer than its input. The default is false. For example
	// ZeroInfinity(true).
	ZeroInfinity = opt.ZeroInfinity
	// DivValue is how much smaller the vectors of each further cluster of
	// AdaptiveLogSoftmaxWithLoss are. The default is 4. For example DivValue(2).
	DivValue = opt.DivValue
	// HeadBias says whether the head of AdaptiveLogSoftmaxWithLoss has a bias. The
	// default is false. For example HeadBias(true).
	HeadBias = opt.HeadBias
)

// The options of each family. All take [Base.As].
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
