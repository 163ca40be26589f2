package opt

import "github.com/gotorch/gotorch/torch"

// The option families of embeddings and distances that are not in families.go.
type (
	//gotorch:options IncludeLastOffset PerSampleWeights Mode PaddingIdx MaxNorm NormType ScaleGradByFreq
	//gotorch:options Sparse
	EmbeddingBagFunc interface{ embeddingBagFunc() }
	//gotorch:options P
	PdistFunc interface{ pdistFunc() }

	//gotorch:options AnyLayer Freeze PaddingIdx MaxNorm NormType ScaleGradByFreq Sparse
	EmbeddingPretrainedLayer interface{ embeddingPretrainedLayer() } // from_pretrained
	//gotorch:options AnyLayer IncludeLastOffset Mode PaddingIdx MaxNorm NormType ScaleGradByFreq Sparse
	//gotorch:options Device DType
	EmbeddingBagLayer interface{ embeddingBagLayer() }
	//gotorch:options AnyLayer Freeze IncludeLastOffset Mode PaddingIdx MaxNorm NormType ScaleGradByFreq
	//gotorch:options Sparse
	EmbeddingBagPretrainedLayer interface{ embeddingBagPretrainedLayer() }
	//gotorch:options PerSampleWeights
	EmbeddingBagCall interface{ embeddingBagCall() } // its Forward
	//gotorch:options AnyLayer Eps Dim
	CosineSimilarityLayer interface{ cosineSimilarityLayer() }
	//gotorch:options AnyLayer P Eps KeepDim
	PairwiseDistanceLayer interface{ pairwiseDistanceLayer() }
)

// Freeze says whether the rows of an embedding stay unchanged during training.
type Freeze bool

// IncludeLastOffset says whether the last offset is the number of indices.
type IncludeLastOffset bool

// PerSampleWeights holds a factor for each index of an EmbeddingBag.
type PerSampleWeights struct{ t *torch.Tensor }

// NewPerSampleWeights returns the option for t.
func NewPerSampleWeights(t *torch.Tensor) PerSampleWeights { return PerSampleWeights{t} }

// Tensor returns the tensor in the option.
func (o PerSampleWeights) Tensor() *torch.Tensor { return hidden(o.t) }

// The values of Mode for an EmbeddingBag.
const (
	ModeSum  Mode = "sum"
	ModeMean Mode = "mean"
	ModeMax  Mode = "max"
)
