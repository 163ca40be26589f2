package opt

// Resizing and sampling.

// Mode selects how the new elements of a resized image are computed.
type Mode string

// Value is the value of constant padding.
type Value float64

// Size is the size of the result in all directions.
type Size int64

// Sizes is the size of the result in each direction.
type Sizes []int64

// ScaleFactor is the ratio of output size to input size in all dimensions.
type ScaleFactor float64

// ScaleFactors is the ratio of output size to input size in each dimension.
type ScaleFactors []float64

// AlignCorners aligns the centers of the corner elements of input and result.
type AlignCorners bool

// RecomputeScaleFactor says whether the scale factor is recomputed from the size of the
// result.
type RecomputeScaleFactor bool

// Antialias says whether the result is smoothed if it is smaller than the input.
type Antialias bool
