package conformance_test

import (
	"github.com/gotorch/gotorch/nn"
	"github.com/gotorch/gotorch/torch"
)

var _ = modules(map[string]builder{
	"Linear": func(a *args) nn.Module {
		return nn.NewLinear(a.Int("in_features"), a.Int("out_features"), options[nn.LinearOption](a, nn.Bias(false))...)
	},
	"Bilinear": func(a *args) nn.Module {
		return nn.NewBilinear(a.Int("in1_features"), a.Int("in2_features"), a.Int("out_features"),
			options[nn.LinearOption](a, nn.Bias(false))...)
	},
	"Embedding": func(a *args) nn.Module {
		return nn.NewEmbedding(a.Int("num_embeddings"), a.Int("embedding_dim"),
			options[nn.EmbeddingOption](a, nn.PaddingIdx(0), nn.MaxNorm(0), nn.NormType(0), nn.ScaleGradByFreq(false),
				nn.Sparse(false))...)
	},
	"EmbeddingBag": func(a *args) nn.Module {
		return nn.NewEmbeddingBag(a.Int("num_embeddings"), a.Int("embedding_dim"),
			options[nn.EmbeddingBagOption](a, nn.MaxNorm(0), nn.NormType(0), nn.ScaleGradByFreq(false), nn.Mode(""),
				nn.Sparse(false),
				nn.IncludeLastOffset(false), nn.PaddingIdx(0))...)
	},
	"CosineSimilarity": func(a *args) nn.Module {
		return nn.NewCosineSimilarity(options[nn.CosineSimilarityOption](a, nn.Dim(0), nn.Eps(0))...)
	},
	"PairwiseDistance": func(a *args) nn.Module {
		opts := options[nn.PairwiseDistanceOption](a, nn.P(0), nn.Eps(0))
		return nn.NewPairwiseDistance(option(a, opts, "keepdim", nn.KeepDim(true))...)
	},
})

var _ = forwards(map[string]forward{
	"EmbeddingBag": func(m nn.Module, a *args) []*torch.Tensor {
		return []*torch.Tensor{m.(*nn.EmbeddingBag).Forward(a.Tensor("input"), a.Tensor("offsets"),
			nn.PerSampleWeights(a.Tensor("per_sample_weights")))}
	},
})
