package opt

// Resizing and sampling.

// Mode selects how new elements are computed.
type Mode string

// Value is the value of constant padding.
type Value float64

// Size is the size of the result in all directions.
type Size int64

// Sizes is the size of the result in each direction.
type Sizes []int64

// ScaleFactor is the factor of all sizes.
type ScaleFactor float64

// ScaleFactors are the factors of the sizes.
type ScaleFactors []float64

// AlignCorners keeps the centers of the corners in place.
type AlignCorners bool

// RecomputeScaleFactor recomputes the scale factor from the size of the result.
type RecomputeScaleFactor bool

// Antialias smooths the result if it is smaller than the input.
type Antialias bool
