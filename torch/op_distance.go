package torch

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	"github.com/gotorch/gotorch/cgotorch/aten"
)

// ComputeMode selects how [Cdist] computes Euclidean distances. The default is
// ComputeModeUseMMForEuclidDistIfNecessary. It is compute_mode in Python.
type ComputeMode string

// These constants select how Euclidean distances are computed. For many rows, a matrix
// product is faster but less exact.
const (
	// ComputeModeUseMMForEuclidDistIfNecessary multiplies matrices if one of them
	// has more than 25 rows.
	ComputeModeUseMMForEuclidDistIfNecessary ComputeMode = "use_mm_for_euclid_dist_if_necessary"
	// ComputeModeUseMMForEuclidDist always multiplies matrices.
	ComputeModeUseMMForEuclidDist ComputeMode = "use_mm_for_euclid_dist"
	// ComputeModeDonotUseMMForEuclidDist never multiplies matrices.
	ComputeModeDonotUseMMForEuclidDist ComputeMode = "donot_use_mm_for_euclid_dist"
)

// A DistanceOption is an option of [Tensor.Dist] and [Tensor.Pdist]: [P].
//
//gotorch:options P
type DistanceOption interface{ distanceOption() }

// A CdistOption is an option of [Cdist]: [P] or [ComputeMode].
//
//gotorch:options P ComputeMode
type CdistOption interface{ cdistOption() }

func readDistance(op string, opts []DistanceOption) P {
	return readOption(op, opts, P(2))
}

// Cdist returns the distances between every row of x1 and every row of x2 in
// the [P]-norm (default 2): shapes (..., n, d) and (..., m, d) give (..., n,
// m). It panics with ErrShape if the rows differ in length, with ErrDType for
// integers, and with ErrValue for a negative P or an unknown [ComputeMode].
// Follows torch.cdist.
func Cdist(x1, x2 *Tensor, opts ...CdistOption) *Tensor {
	const op = "Cdist(x1, x2)"
	p, mode := readOptions2(op, opts, P(2), ComputeModeUseMMForEuclidDistIfNecessary)
	var code int64
	switch mode {
	case ComputeModeUseMMForEuclidDistIfNecessary:
	case ComputeModeUseMMForEuclidDist:
		code = 1
	case ComputeModeDonotUseMMForEuclidDist:
		code = 2
	default:
		panic(argError(op, ErrValue, "ComputeMode", fmt.Sprintf("expected %s, %s or %s, got %q",
			ComputeModeUseMMForEuclidDistIfNecessary, ComputeModeUseMMForEuclidDist,
			ComputeModeDonotUseMMForEuclidDist, string(mode))))
	}
	return binary(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Ret {
		return aten.Cdist(cx, a, b, float64(p), &code)
	}, x1, x2)
}

// Pdist returns the distances between all pairs of rows of a matrix in the
// [P]-norm (default 2), as a vector of n (n-1) / 2 elements. It panics with
// ErrShape unless t is a matrix, with ErrDType for integers, and with ErrValue
// for a negative P. Follows torch.pdist.
func (t *Tensor) Pdist(opts ...DistanceOption) *Tensor {
	const op = "Pdist(self)"
	p := readDistance(op, opts)
	if t != nil && !t.IsClosed() && t.Dim() == 2 && t.Size(0) == 0 && t.IsFloatingPoint() {
		// For a matrix without rows, the derivative of libtorch's pdist divides by zero, which ends
		// the process. The result is empty anyway, so use the derivative of Sum.
		return t.Sum(Dim(1))
	}
	return call(op, t, func(cx abi.Ctx, h abi.Tensor) abi.Ret { return aten.Pdist(cx, h, float64(p)) })
}

// Dist returns the [P]-norm (default 2) of t - other as a scalar. It panics
// with ErrShape if the shapes do not broadcast, and with ErrDType for integers.
// Follows torch.dist.
func (t *Tensor) Dist(other *Tensor, opts ...DistanceOption) *Tensor {
	const op = "Dist(self, other)"
	p := floatScalar(float64(readDistance(op, opts)))
	return binary(op, func(cx abi.Ctx, a, b abi.Tensor) abi.Ret { return aten.Dist(cx, a, b, p) }, t, other)
}
