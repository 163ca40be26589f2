package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// The option types of embeddings and distances, one for each constructor or Forward.
// All constructors accept [Base.As].
type (
	// An EmbeddingOption is [PaddingIdx], [MaxNorm], [NormType], [ScaleGradByFreq],
	// [Sparse], [Device], [DType] or [Base.As].
	EmbeddingOption interface{ opt.EmbeddingLayer }
	// An EmbeddingPretrainedOption is [Freeze], [PaddingIdx], [MaxNorm], [NormType],
	// [ScaleGradByFreq], [Sparse] or [Base.As].
	EmbeddingPretrainedOption interface{ opt.EmbeddingPretrainedLayer }
	// An EmbeddingBagOption is [MaxNorm], [NormType], [ScaleGradByFreq], a [Mode],
	// [Sparse], [IncludeLastOffset], [PaddingIdx], [Device], [DType] or [Base.As].
	EmbeddingBagOption interface{ opt.EmbeddingBagLayer }
	// An EmbeddingBagPretrainedOption is [Freeze], [MaxNorm], [NormType],
	// [ScaleGradByFreq], a [Mode], [Sparse], [IncludeLastOffset], [PaddingIdx] or
	// [Base.As].
	EmbeddingBagPretrainedOption interface {
		opt.EmbeddingBagPretrainedLayer
	}
	// An EmbeddingBagCallOption is [PerSampleWeights].
	EmbeddingBagCallOption interface{ opt.EmbeddingBagCall }
	// A CosineSimilarityOption is [Dim], [Eps] or [Base.As].
	CosineSimilarityOption interface{ opt.CosineSimilarityLayer }
	// A PairwiseDistanceOption is [P], [Eps], [KeepDim] or [Base.As].
	PairwiseDistanceOption interface{ opt.PairwiseDistanceLayer }
)

// The options of EmbeddingBag and of distances.
type (
	// Mode says how an EmbeddingBag combines rows, by default [ModeMean], or how an
	// Upsample computes new elements, by default [ModeNearest].
	Mode = opt.Mode
	// KeepDim says whether PairwiseDistance keeps the last dimension with size 1; keepdim
	// in Python. The default is false.
	KeepDim = opt.KeepDim
)

// The modes of an EmbeddingBag.
const (
	ModeSum  = opt.ModeSum
	ModeMean = opt.ModeMean
	ModeMax  = opt.ModeMax
)

// PerSampleWeights is an option of EmbeddingBag.Forward with [ModeSum]: a factor for
// each index, with the shape of the indices. By default, or if w is nil, all factors
// are 1. The caller keeps ownership of the tensor.
func PerSampleWeights(w *torch.Tensor) PerSampleWeightsOption { return opt.NewPerSampleWeights(w) }
