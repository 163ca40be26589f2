package functional

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
	"github.com/gotorch/gotorch/internal/opt"
	"github.com/gotorch/gotorch/torch"
)

// A CosineSimilarityOption is [Dim] or [Eps].
type CosineSimilarityOption interface{ opt.CosineSimilarityFunc }

// CosineSimilarity returns the cosine of the angle between x1 and x2 along [Dim], 1 by
// default. The result lacks that dimension. x1 and x2 broadcast. Norms below [Eps],
// 1e-8 by default, are raised to Eps. It panics with ErrShape for sizes that do not
// broadcast and with ErrIndex for a dimension that they do not have.
// Follows torch.nn.functional.cosine_similarity.
func CosineSimilarity(x1, x2 *torch.Tensor, opts ...CosineSimilarityOption) *torch.Tensor {
	const op = "CosineSimilarity(x1, x2)"
	dim, eps := opt.Read2(op, opts, Dim(1), Eps(1e-8))
	a, b := x1.HandleFor(op, 0), x2.HandleFor(op, 1)
	r := torch.BeginRaw(op, x1, x2)
	return r.Tensor(aten.CosineSimilarity(r.Ctx, a, b, int64(dim), float64(eps)))
}

// A PairwiseDistanceOption is [P], [Eps] or [KeepDim].
type PairwiseDistanceOption interface{ opt.PairwiseDistanceFunc }

// PairwiseDistance returns the [P]-norm of x1 - x2 + [Eps] along the last dimension.
// x1 and x2 have shape (N, D) or (D), and the result (N) or (). By default P is 2 and
// Eps is 1e-6. It panics with ErrShape for sizes that do not broadcast.
// Follows torch.nn.functional.pairwise_distance.
func PairwiseDistance(x1, x2 *torch.Tensor, opts ...PairwiseDistanceOption) *torch.Tensor {
	const op = "PairwiseDistance(x1, x2)"
	p, eps, keep := opt.Read3(op, opts, P(2), Eps(1e-6), KeepDim(false))
	a, b := x1.HandleFor(op, 0), x2.HandleFor(op, 1)
	r := torch.BeginRaw(op, x1, x2)
	return r.Tensor(aten.PairwiseDistance(r.Ctx, a, b, float64(p), float64(eps), bool(keep)))
}

// A NormalizeOption is [P], [Dim] or [Eps].
type NormalizeOption interface{ opt.NormalizeFunc }

// Normalize divides input by its [P]-norm along [Dim], or by [Eps] if the norm is
// smaller. By default P is 2, Dim is 1 and Eps is 1e-12. The result has input's
// shape. It panics with ErrIndex for a dimension that input does not have and with
// ErrDType for integers. Follows torch.nn.functional.normalize.
func Normalize(input *torch.Tensor, opts ...NormalizeOption) *torch.Tensor {
	const op = "Normalize(input)"
	p, dim, eps := opt.Read3(op, opts, P(2), Dim(1), Eps(1e-12))
	norm := unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret {
		return aten.LinalgVectorNorm(cx, h, float(p), []int64{int64(dim)}, true, -1)
	}, input)
	floor := unaryClosing(op, norm, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.ClampMin(cx, h, float(eps)) })
	defer func() { _ = floor.Close() }()
	return binary(op, aten.DivTensor, input, floor)
}

// A PdistOption is [P].
type PdistOption interface{ opt.PdistFunc }

// Pdist returns the distance between each row of input, of shape (N, M), and each later
// row. The distance is the [P]-norm of the difference; P is 2 by default. The result
// has shape (N * (N - 1) / 2). It panics with ErrShape for any other number of
// dimensions, with ErrValue for a negative P, and with ErrDType unless input is
// floating-point.
// Follows torch.nn.functional.pdist.
func Pdist(input *torch.Tensor, opts ...PdistOption) *torch.Tensor {
	const op = "Pdist(input)"
	p := opt.Read(op, opts, P(2))
	if !(p >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "P", fmt.Sprintf("expected no negative number, got %v", p)))
	}
	input.HandleFor(op, 0)
	if input.Dim() == 2 && input.Size(0) == 0 && input.IsFloatingPoint() {
		// libtorch's derivative divides by the number of rows, which crashes the
		// process if it is 0.
		return input.Sum(torch.Dim(1))
	}
	return unary(op, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Pdist(cx, h, float64(p)) }, input)
}
