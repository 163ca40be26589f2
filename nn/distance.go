package nn

import (
	"github.com/gotorch/gotorch/internal/opt"
	F "github.com/gotorch/gotorch/nn/functional"
	"github.com/gotorch/gotorch/torch"
)

// CosineSimilarity is the cosine of the angle between two tensors along a dimension.
// Follows torch.nn.CosineSimilarity.
type CosineSimilarity struct {
	Base
	Dim int64
	Eps float64
}

// NewCosineSimilarity makes a CosineSimilarity along [Dim], 1 by default. Norms below
// [Eps], 1e-8 by default, are raised to Eps. Follows torch.nn.CosineSimilarity.
func NewCosineSimilarity(opts ...CosineSimilarityOption) *CosineSimilarity {
	dim, eps, as := opt.Read3("NewCosineSimilarity", opts, Dim(1), Eps(1e-8), Registration{})
	l := &CosineSimilarity{Dim: int64(dim), Eps: float64(eps)}
	l.startLayer(l)
	as.register(l)
	return l
}

// Forward takes x1 and x2, which broadcast, and returns a tensor without dimension
// [Dim]. It panics as F.CosineSimilarity does.
func (l *CosineSimilarity) Forward(x1, x2 *torch.Tensor) *torch.Tensor {
	return callLayer2(l, x1, x2, func(x1, x2 *torch.Tensor) *torch.Tensor {
		return F.CosineSimilarity(x1, x2, F.Dim(l.Dim), F.Eps(l.Eps))
	})
}

// PairwiseDistance is the norm of the difference of two vectors.
// Follows torch.nn.PairwiseDistance.
type PairwiseDistance struct {
	Base
	Norm, Eps float64 // the exponent of the norm, and the number added to the difference
	KeepDim   bool
}

// NewPairwiseDistance makes a PairwiseDistance in the [P]-norm, 2 by default. [Eps],
// 1e-6 by default, is added to the difference. Follows torch.nn.PairwiseDistance.
func NewPairwiseDistance(opts ...PairwiseDistanceOption) *PairwiseDistance {
	p, eps, keep, as := opt.Read4("NewPairwiseDistance", opts, P(2), Eps(1e-6), KeepDim(false), Registration{})
	l := &PairwiseDistance{Norm: float64(p), Eps: float64(eps), KeepDim: bool(keep)}
	l.startLayer(l)
	as.register(l)
	return l
}

// Forward takes x1 and x2 of shape (N, D) or (D) and returns (N) or (). It panics as
// F.PairwiseDistance does.
func (l *PairwiseDistance) Forward(x1, x2 *torch.Tensor) *torch.Tensor {
	return callLayer2(l, x1, x2, func(x1, x2 *torch.Tensor) *torch.Tensor {
		return F.PairwiseDistance(x1, x2, F.P(l.Norm), F.Eps(l.Eps), F.KeepDim(l.KeepDim))
	})
}
