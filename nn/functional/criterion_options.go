package functional

import "github.com/gotorch/gotorch/internal/opt"

// Options of margin, likelihood and sequence losses.
type (
	// Margin is the margin of a loss. Each function states its default. For example
	// Margin(0.2).
	Margin = opt.Margin
	// Swap says whether a triplet loss uses the distance between positive and negative
	// where it is smaller than the distance between anchor and negative. The default is
	// false. For example Swap(true).
	Swap = opt.Swap
	// DistanceFunction computes the distance in TripletMarginWithDistanceLoss: one
	// number for each pair of rows of x and y. By default, and for nil, the distance is
	// [PairwiseDistance].
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
)

// The option types of losses. Losses with the same options share a type.
type (
	// A ReductionOption is a [Reduction], for losses without other options.
	ReductionOption interface{ opt.ReductionFunc }
	// A MarginLossOption is [Margin] or a [Reduction].
	MarginLossOption interface{ opt.MarginLossFunc }
	// A MultiMarginLossOption is [P], [Margin], [Weight] or a [Reduction].
	MultiMarginLossOption interface{ opt.MultiMarginFunc }
	// A MultilabelSoftMarginLossOption is [Weight] or a [Reduction].
	MultilabelSoftMarginLossOption interface{ opt.MultilabelSoftMarginFunc }
	// A TripletMarginLossOption is [Margin], [P], [Eps], [Swap] or a [Reduction].
	TripletMarginLossOption interface{ opt.TripletMarginFunc }
	// A TripletMarginWithDistanceLossOption is a [DistanceFunction], [Margin],
	// [Swap] or a [Reduction].
	TripletMarginWithDistanceLossOption interface {
		opt.TripletMarginWithDistanceFunc
	}
	// A PoissonNLLLossOption is [LogInput], [Full], [Eps] or a [Reduction].
	PoissonNLLLossOption interface{ opt.PoissonNLLFunc }
	// A GaussianNLLLossOption is [Full], [Eps] or a [Reduction].
	GaussianNLLLossOption interface{ opt.GaussianNLLFunc }
	// A CTCLossOption is [Blank], [ZeroInfinity] or a [Reduction].
	CTCLossOption interface{ opt.CTCFunc }
)
