package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// criterionRows are losses of margins, likelihoods and sequences. In Python their printed form has
// no arguments.
func criterionRows(p *holder) map[string]optiontest.Row {
	hidden := func(a, b any) optiontest.Pair { return values(a, b).Hides(printed, python) }
	weight := func(numbers []float32) func() any { // which the loss will own
		return func() any { return nn.Weight(torch.FromSlice(numbers)) }
	}
	weights := []optiontest.Pair{
		hidden(weight([]float32{1, 2, 3}), nn.Weight(nil)),
		hidden(weight([]float32{1, 2, 3}), weight([]float32{3, 2, 1})),
	}
	reductions := []optiontest.Pair{
		hidden(nn.ReductionSum, nn.ReductionMean),
		hidden(nn.ReductionNone, nn.Reduction("sum")),
	}
	margins := append(reductions[:2:2], hidden(nn.Margin(0.5), nn.Margin(0.25)), hidden(nn.Margin(0), nn.Margin(0.5)))
	apart := append(reductions[:2:2], hidden(nn.Margin(3), nn.Margin(0.5)), hidden(nn.Swap(true), nn.Swap(false)))
	finite := []nn.CTCLossOption{nn.ZeroInfinity(true)}
	positive := []nn.PoissonNLLLossOption{nn.LogInput(false)}
	return map[string]optiontest.Row{
		"NewSoftMarginLoss": built(p, pair, func(opts ...nn.LossOption) nn.Module {
			return nn.NewSoftMarginLoss(opts...)
		}, reductions...),
		"NewMultiLabelMarginLoss": built(p, labels, func(opts ...nn.LossOption) nn.Module {
			return nn.NewMultiLabelMarginLoss(opts...)
		}, reductions...),
		"NewMultiLabelSoftMarginLoss": built(p, pair, func(opts ...nn.MultiLabelSoftMarginLossOption) nn.Module {
			return nn.NewMultiLabelSoftMarginLoss(opts...)
		},
			append(weights[:2:2], reductions...)...),
		"NewMultiMarginLoss": built(p, classes, func(opts ...nn.MultiMarginLossOption) nn.Module {
			return nn.NewMultiMarginLoss(opts...)
		},
			with(append(weights[:2:2], margins...), hidden(nn.P(2), nn.P(1)))...),
		"NewHingeEmbeddingLoss": built(p, signs, func(opts ...nn.MarginLossOption) nn.Module {
			return nn.NewHingeEmbeddingLoss(opts...)
		}, margins...),
		"NewMarginRankingLoss": built(p, triplet, func(opts ...nn.MarginLossOption) nn.Module {
			return nn.NewMarginRankingLoss(opts...)
		}, margins...),
		"NewCosineEmbeddingLoss": built(p, turned, func(opts ...nn.MarginLossOption) nn.Module {
			return nn.NewCosineEmbeddingLoss(opts...)
		}, margins...),
		"NewPoissonNLLLoss": built(p, counts, func(opts ...nn.PoissonNLLLossOption) nn.Module {
			return nn.NewPoissonNLLLoss(after(positive, opts)...)
		},
			with(reductions, hidden(nn.LogInput(true), nn.LogInput(false)), hidden(nn.Full(true), nn.Full(false)),
				hidden(nn.Eps(0.5), nn.Eps(0)))...),
		"NewGaussianNLLLoss": built(p, triplet, func(opts ...nn.GaussianNLLLossOption) nn.Module {
			return nn.NewGaussianNLLLoss(opts...)
		},
			with(reductions, hidden(nn.Full(true), nn.Full(false)), hidden(nn.Eps(2), nn.Eps(1)))...),
		"NewCTCLoss": built(p, endless, func(opts ...nn.CTCLossOption) nn.Module {
			return nn.NewCTCLoss(after(finite, opts)...)
		},
			with(reductions, hidden(nn.Blank(3), nn.Blank(0)),
				hidden(nn.ZeroInfinity(false), nn.ZeroInfinity(true)))...),
		"NewTripletMarginLoss": built(p, triplet, func(opts ...nn.TripletMarginLossOption) nn.Module {
			return nn.NewTripletMarginLoss(opts...)
		},
			with(apart, hidden(nn.P(1), nn.P(2)), hidden(nn.Eps(0.5), nn.Eps(0)))...),
		"NewTripletMarginWithDistanceLoss": built(p, triplet,
			func(opts ...nn.TripletMarginWithDistanceLossOption) nn.Module {
				return nn.NewTripletMarginWithDistanceLoss(opts...)
			}, with(apart, values(nn.DistanceFunction(manhattan), nn.DistanceFunction(nil)),
				values(nn.DistanceFunction(nil), nn.DistanceFunction(manhattan)))...),
		"NewAdaptiveLogSoftmaxWithLoss": built(p, rare, func(opts ...nn.AdaptiveLogSoftmaxOption) nn.Module {
			return nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 10}, opts...)
		}, with(elsewhere(), values(nn.DivValue(2), nn.DivValue(3)), values(nn.HeadBias(true), nn.HeadBias(false)))...),
	}
}
