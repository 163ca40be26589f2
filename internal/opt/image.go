package opt

// Resizing and sampling.

// Mode is how new elements are computed.
type Mode string

func (Mode) PadFunc()         {}
func (Mode) InterpolateFunc() {}
func (Mode) GridSampleFunc()  {}

// Value is what constant padding holds.
type Value float64

func (Value) PadFunc() {}

// Size is the size of the result in all directions.
type Size int64

func (Size) InterpolateFunc() {}

// Sizes is the size of the result in each direction.
type Sizes []int64

func (Sizes) InterpolateFunc() {}

// ScaleFactor is the factor of all sizes.
type ScaleFactor float64

func (ScaleFactor) InterpolateFunc() {}

// ScaleFactors is the factor of each size.
type ScaleFactors []float64

func (ScaleFactors) InterpolateFunc() {}

// AlignCorners keeps the centers of the corners in place.
type AlignCorners bool

func (AlignCorners) InterpolateFunc() {}
func (AlignCorners) GridSampleFunc()  {}
func (AlignCorners) AffineGridFunc()  {}

// RecomputeScaleFactor computes the factor anew from the size of the result.
type RecomputeScaleFactor bool

func (RecomputeScaleFactor) InterpolateFunc() {}

// Antialias smooths when sizes shrink.
type Antialias bool

func (Antialias) InterpolateFunc() {}
