package nn_test

import (
	"strings"

	"github.com/gotorch/gotorch/internal/optiontest"
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

// tableRows returns the rows of the option table for embeddings, Bilinear and
// distances.
func tableRows(p *holder) map[string]optiontest.Row {
	// Index 0 occurs twice, so that ScaleGradByFreq has an effect. MaxNorm is set, so
	// that NormType has an effect.
	looked := func() []*torch.Tensor { return []*torch.Tensor{torch.FromSlice([]int64{0, 4, 0, 1})} }
	bags := func() []*torch.Tensor { return append(looked(), torch.FromSlice([]int64{0, 1})) }
	numbers := []float32{-1, 0, 1, 2, 3, 0, 0, 1, -2, 1, 1, 1, 2, -1, 0}
	pretrained := func() *torch.Tensor { return torch.FromSlice(numbers, 5, 3) }
	rows := []optiontest.Pair{
		values(nn.PaddingIdx(0), nn.PaddingIdx(-1)),
		values(nn.MaxNorm(0), nn.MaxNorm(1)),
		values(nn.NormType(1), nn.NormType(2)),
		values(nn.ScaleGradByFreq(true), nn.ScaleGradByFreq(false)),
		values(nn.Sparse(true), nn.Sparse(false)),
	}
	frozen := values(nn.Freeze(false), nn.Freeze(true)).Hides(printed, notInRepr)
	combined := func(pairs []optiontest.Pair) []optiontest.Pair {
		pairs = append([]optiontest.Pair(nil), pairs...)
		pairs[4] = pairs[4].Hides(printed, notInRepr)
		return append(pairs,
			values(nn.ModeSum, nn.ModeMean),
			values(nn.Mode("max"), nn.ModeMean),
			values(nn.IncludeLastOffset(true), nn.IncludeLastOffset(false)).Hides(printed, notInRepr))
	}
	x, offsets, factors := torch.FromSlice([]int64{0, 4, 0, 1}), torch.FromSlice([]int64{0, 1}), torch.Linspace(0, 1, 4)
	return map[string]optiontest.Row{
		"NewEmbedding": rowOf(p, looked, func(opts ...nn.EmbeddingOption) nn.Module {
			return nn.NewEmbedding(5, 3, prepend([]nn.EmbeddingOption{nn.MaxNorm(1)}, opts)...)
		}, joinPairs(places(), rows...)...),
		"NewEmbeddingFromPretrained": rowOf(p, looked, func(opts ...nn.EmbeddingPretrainedOption) nn.Module {
			return withTable(pretrained(), func(w *torch.Tensor) nn.Module {
				return nn.NewEmbeddingFromPretrained(w,
					prepend([]nn.EmbeddingPretrainedOption{nn.MaxNorm(1), nn.Freeze(false)}, opts)...)
			})
		}, append(rows, frozen)...),
		"NewEmbeddingBag": rowOf(p, bags, func(opts ...nn.EmbeddingBagOption) nn.Module {
			return nn.NewEmbeddingBag(5, 3, prepend([]nn.EmbeddingBagOption{nn.MaxNorm(1)}, opts)...)
		}, joinPairs(places(), combined(rows)...)...),
		"NewEmbeddingBagFromPretrained": rowOf(p, bags, func(opts ...nn.EmbeddingBagPretrainedOption) nn.Module {
			return withTable(pretrained(), func(w *torch.Tensor) nn.Module {
				return nn.NewEmbeddingBagFromPretrained(w,
					prepend([]nn.EmbeddingBagPretrainedOption{nn.MaxNorm(1), nn.Freeze(false)}, opts)...)
			})
		}, append(combined(rows), frozen)...),
		"EmbeddingBag.Forward": optiontest.For(func(opts ...nn.EmbeddingBagCallOption) optiontest.Outcome {
			var s strings.Builder
			torch.ManualSeed(3)
			m := nn.NewEmbeddingBag(5, 3, nn.ModeSum)
			defer func() { _ = m.Close() }()
			torch.Scope(func() { writeTensor(&s, "result", m.Forward(x, offsets, opts...)) })
			return optiontest.Outcome{behavior: s.String()}
		}, values(nn.PerSampleWeights(factors), nn.PerSampleWeights(nil))),
		"NewBilinear": rowOf(p, pair, func(opts ...nn.LinearOption) nn.Module {
			return nn.NewBilinear(3, 3, 2, opts...)
		},
			joinPairs(places(), values(nn.Bias(false), nn.Bias(true)))...),
		"NewCosineSimilarity": rowOf(p, pair, func(opts ...nn.CosineSimilarityOption) nn.Module {
			return nn.NewCosineSimilarity(opts...)
		},
			values(nn.Dim(0), nn.Dim(-1)).Hides(printed, notInRepr),
			values(nn.Eps(9), nn.Eps(0)).Hides(printed, notInRepr)),
		"NewPairwiseDistance": rowOf(p, pair, func(opts ...nn.PairwiseDistanceOption) nn.Module {
			return nn.NewPairwiseDistance(opts...)
		},
			values(nn.P(1), nn.P(2)).Hides(printed, notInRepr), values(nn.Eps(9), nn.Eps(0)).Hides(printed, notInRepr),
			values(nn.KeepDim(true), nn.KeepDim(false)).Hides(printed, notInRepr)),
	}
}

// withTable creates a module with a table, and closes the table if the module rejects it.
func withTable(w *torch.Tensor, make func(w *torch.Tensor) nn.Module) nn.Module {
	returned := false
	defer func() {
		if !returned {
			_ = w.Close()
		}
	}()
	m := make(w)
	returned = true
	return m
}
