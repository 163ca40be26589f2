package opt

import "github.com/gotorch/gotorch/torch"

// The families of tables of rows, and of distances, that are not in families.go.
type (
	EmbeddingBagFunc interface{ EmbeddingBagFunc() }
	PdistFunc        interface{ PdistFunc() }

	EmbeddingPretrainedLayer    interface{ EmbeddingPretrainedLayer() } // from_pretrained
	EmbeddingBagLayer           interface{ EmbeddingBagLayer() }
	EmbeddingBagPretrainedLayer interface{ EmbeddingBagPretrainedLayer() }
	EmbeddingBagCall            interface{ EmbeddingBagCall() } // its Forward
	CosineSimilarityLayer       interface{ CosineSimilarityLayer() }
	PairwiseDistanceLayer       interface{ PairwiseDistanceLayer() }
)

func (AnyLayer) EmbeddingPretrainedLayer()    {}
func (AnyLayer) EmbeddingBagLayer()           {}
func (AnyLayer) EmbeddingBagPretrainedLayer() {}
func (AnyLayer) CosineSimilarityLayer()       {}
func (AnyLayer) PairwiseDistanceLayer()       {}

// Freeze keeps the rows as they are.
type Freeze bool

func (Freeze) EmbeddingPretrainedLayer()    {}
func (Freeze) EmbeddingBagPretrainedLayer() {}

// IncludeLastOffset says that the last offset is the number of indices.
type IncludeLastOffset bool

func (IncludeLastOffset) EmbeddingBagFunc()            {}
func (IncludeLastOffset) EmbeddingBagLayer()           {}
func (IncludeLastOffset) EmbeddingBagPretrainedLayer() {}

// PerSampleWeights holds a factor for each index.
type PerSampleWeights struct{ t *torch.Tensor }

// NewPerSampleWeights returns the option for t.
func NewPerSampleWeights(t *torch.Tensor) PerSampleWeights { return PerSampleWeights{t} }

// Tensor returns what the option holds.
func (o PerSampleWeights) Tensor() *torch.Tensor { return hidden(o.t) }

func (PerSampleWeights) EmbeddingBagFunc() {}
func (PerSampleWeights) EmbeddingBagCall() {}

// The words of the Mode of EmbeddingBag.
const (
	ModeSum  Mode = "sum"
	ModeMean Mode = "mean"
	ModeMax  Mode = "max"
)

func (Mode) EmbeddingBagFunc()            {}
func (Mode) EmbeddingBagLayer()           {}
func (Mode) EmbeddingBagPretrainedLayer() {}

func (PaddingIdx) EmbeddingPretrainedLayer()         {}
func (PaddingIdx) EmbeddingBagFunc()                 {}
func (PaddingIdx) EmbeddingBagLayer()                {}
func (PaddingIdx) EmbeddingBagPretrainedLayer()      {}
func (MaxNorm) EmbeddingPretrainedLayer()            {}
func (MaxNorm) EmbeddingBagFunc()                    {}
func (MaxNorm) EmbeddingBagLayer()                   {}
func (MaxNorm) EmbeddingBagPretrainedLayer()         {}
func (NormType) EmbeddingPretrainedLayer()           {}
func (NormType) EmbeddingBagFunc()                   {}
func (NormType) EmbeddingBagLayer()                  {}
func (NormType) EmbeddingBagPretrainedLayer()        {}
func (ScaleGradByFreq) EmbeddingPretrainedLayer()    {}
func (ScaleGradByFreq) EmbeddingBagFunc()            {}
func (ScaleGradByFreq) EmbeddingBagLayer()           {}
func (ScaleGradByFreq) EmbeddingBagPretrainedLayer() {}
func (Sparse) EmbeddingPretrainedLayer()             {}
func (Sparse) EmbeddingBagFunc()                     {}
func (Sparse) EmbeddingBagLayer()                    {}
func (Sparse) EmbeddingBagPretrainedLayer()          {}
func (Device) EmbeddingBagLayer()                    {}
func (DType) EmbeddingBagLayer()                     {}

func (P) PdistFunc()                       {}
func (P) PairwiseDistanceLayer()           {}
func (Eps) PairwiseDistanceLayer()         {}
func (KeepDimFlag) PairwiseDistanceLayer() {}
func (Eps) CosineSimilarityLayer()         {}
func (Dim) CosineSimilarityLayer()         {}
