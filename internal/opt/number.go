package opt

// Options of activations, normalizations and distances that are a number or a bool.

// NegativeSlope is the slope of an activation for negative x.
type NegativeSlope float64

// Alpha is the factor of the exponential in ELU and CELU.
type Alpha float64

// MinVal is the smallest value that Hardtanh returns.
type MinVal float64

// MaxVal is the largest value that Hardtanh returns.
type MaxVal float64

// Beta is the sharpness of Softplus, and the threshold below which SmoothL1Loss is
// quadratic.
type Beta float64

// Threshold is the value above which Softplus is linear.
type Threshold float64

// Approximate selects the formula of GELU.
type Approximate string

// P is the probability of a dropout, or the exponent of a norm.
type P float64

// Training says whether the model is being trained.
type Training bool

// UseInputStats says whether to normalize with the statistics of the input.
type UseInputStats bool

// Momentum is the weight of a new batch in the running statistics.
type Momentum float64

// MomentumWord is a momentum that is None in PyTorch.
type MomentumWord string

// Eps is a small number that keeps a divisor away from 0.
type Eps float64

// Affine says whether a layer has a weight and a bias.
type Affine bool

// ElementwiseAffine says whether a layer has a weight and a bias.
type ElementwiseAffine bool

// TrackRunningStats says whether a layer keeps running statistics.
type TrackRunningStats bool

// Dim is a dimension; a negative one counts from the end.
type Dim int64

// KeepDim says whether the reduced dimension is kept with size 1.
type KeepDim bool

// StartDim is the first dimension to flatten.
type StartDim int64

// EndDim is the last dimension to flatten.
type EndDim int64
