package opt

// Resizing and sampling.

// Mode says how new elements are computed.
type Mode string

// Value is the value of constant padding.
type Value float64

// Size is the size of the result in all directions.
type Size int64

// Sizes is the size of the result in each direction.
type Sizes []int64

// ScaleFactor is the factor of all sizes.
type ScaleFactor float64

// ScaleFactors is the factor of each size.
type ScaleFactors []float64

// AlignCorners keeps the centers of the corners in place.
type AlignCorners bool

// RecomputeScaleFactor computes the factor again from the size of the result.
type RecomputeScaleFactor bool

// Antialias smooths when sizes shrink.
type Antialias bool
