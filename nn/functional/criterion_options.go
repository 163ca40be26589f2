package functional

import "github.com/gotorch/gotorch/internal/opt"

// The options of the losses of margins, likelihoods and sequences.
type (
	// Margin is the difference that a loss asks for. Each function states its
	// default. For example Margin(0.2).
	Margin = opt.Margin
	// Swap says whether a triplet loss takes the distance of the positive to the
	// negative where that is smaller than the anchor's. The default is false. For
	// example Swap(true).
	Swap = opt.Swap
	// DistanceFunction is the distance that TripletMarginWithDistanceLoss uses: of
	// two batches, a number for each pair. The default, and nil, is
	// [PairwiseDistance].
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
)

// The options of each family.
type (
	// A ReductionOption is a [Reduction]: all that some losses take.
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
