package nn_test

import (
	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// criterionRows returns the rows of the option table for margin, likelihood and
// sequence losses. In Python their printed form has no arguments.
func criterionRows(p *holder) map[string]optiontest.Row {
	hidden := func(a, b any) optiontest.Pair { return values(a, b).Hides(printed, notInRepr) }
	// weight makes a new tensor for each loss, because a loss owns its weight.
	weight := func(numbers []float32) func() any {
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
		"NewSoftMarginLoss": rowOf(p, pair, func(opts ...nn.LossOption) nn.Module {
			return nn.NewSoftMarginLoss(opts...)
		}, reductions...),
		"NewMultiLabelMarginLoss": rowOf(p, labels, func(opts ...nn.LossOption) nn.Module {
			return nn.NewMultiLabelMarginLoss(opts...)
		}, reductions...),
		"NewMultiLabelSoftMarginLoss": rowOf(p, pair, func(opts ...nn.MultiLabelSoftMarginLossOption) nn.Module {
			return nn.NewMultiLabelSoftMarginLoss(opts...)
		},
			append(weights[:2:2], reductions...)...),
		"NewMultiMarginLoss": rowOf(p, classes, func(opts ...nn.MultiMarginLossOption) nn.Module {
			return nn.NewMultiMarginLoss(opts...)
		},
			joinPairs(append(weights[:2:2], margins...), hidden(nn.P(2), nn.P(1)))...),
		"NewHingeEmbeddingLoss": rowOf(p, signs, func(opts ...nn.MarginLossOption) nn.Module {
			return nn.NewHingeEmbeddingLoss(opts...)
		}, margins...),
		"NewMarginRankingLoss": rowOf(p, triplet, func(opts ...nn.MarginLossOption) nn.Module {
			return nn.NewMarginRankingLoss(opts...)
		}, margins...),
		"NewCosineEmbeddingLoss": rowOf(p, turned, func(opts ...nn.MarginLossOption) nn.Module {
			return nn.NewCosineEmbeddingLoss(opts...)
		}, margins...),
		"NewPoissonNLLLoss": rowOf(p, counts, func(opts ...nn.PoissonNLLLossOption) nn.Module {
			return nn.NewPoissonNLLLoss(prepend(positive, opts)...)
		},
			joinPairs(reductions, hidden(nn.LogInput(true), nn.LogInput(false)), hidden(nn.Full(true), nn.Full(false)),
				hidden(nn.Eps(0.5), nn.Eps(0)))...),
		"NewGaussianNLLLoss": rowOf(p, triplet, func(opts ...nn.GaussianNLLLossOption) nn.Module {
			return nn.NewGaussianNLLLoss(opts...)
		},
			joinPairs(reductions, hidden(nn.Full(true), nn.Full(false)), hidden(nn.Eps(2), nn.Eps(1)))...),
		"NewCTCLoss": rowOf(p, endless, func(opts ...nn.CTCLossOption) nn.Module {
			return nn.NewCTCLoss(prepend(finite, opts)...)
		},
			joinPairs(reductions, hidden(nn.Blank(3), nn.Blank(0)),
				hidden(nn.ZeroInfinity(false), nn.ZeroInfinity(true)))...),
		"NewTripletMarginLoss": rowOf(p, triplet, func(opts ...nn.TripletMarginLossOption) nn.Module {
			return nn.NewTripletMarginLoss(opts...)
		},
			joinPairs(apart, hidden(nn.P(1), nn.P(2)), hidden(nn.Eps(0.5), nn.Eps(0)))...),
		"NewTripletMarginWithDistanceLoss": rowOf(p, triplet,
			func(opts ...nn.TripletMarginWithDistanceLossOption) nn.Module {
				return nn.NewTripletMarginWithDistanceLoss(opts...)
			}, joinPairs(apart, values(nn.DistanceFunction(manhattan), nn.DistanceFunction(nil)),
				values(nn.DistanceFunction(nil), nn.DistanceFunction(manhattan)))...),
		"NewAdaptiveLogSoftmaxWithLoss": rowOf(p, rare, func(opts ...nn.AdaptiveLogSoftmaxOption) nn.Module {
			return nn.NewAdaptiveLogSoftmaxWithLoss(8, 20, []int64{4, 10}, opts...)
		}, joinPairs(places(), values(nn.DivValue(2), nn.DivValue(3)),
			values(nn.HeadBias(true), nn.HeadBias(false)))...),
	}
}
