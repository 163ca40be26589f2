package nn

import "github.com/gotorch/gotorch/internal/opt"

type (
	// An InstanceNormOption is [Eps], [Momentum], [MomentumNone], [Affine],
	// [TrackRunningStats], [Device], [DType] or [Base.As]. [Affine] and
	// [TrackRunningStats] are false by default.
	InstanceNormOption interface{ opt.InstanceNormLayer }
	// A LocalResponseNormOption is an option of LocalResponseNorm and CrossMapLRN2d:
	// [Alpha], [Beta], [K] or [Base.As].
	LocalResponseNormOption interface{ opt.LocalResponseNormLayer }
)

// K is the number that a local response normalization adds to the mean of squares.
// The default is 1. For example K(2).
type K = opt.K
