package opt

// Resizing and sampling.

// Mode is how new elements are computed.
type Mode string

func (Mode) PadFunc()         {}
func (Mode) InterpolateFunc() {}
func (Mode) GridSampleFunc()  {}
func (Mode) UpsampleLayer()   {}

// Value is what constant padding holds.
type Value float64

func (Value) PadFunc() {}

// Size is the size of the result in all directions.
type Size int64

func (Size) InterpolateFunc() {}
func (Size) UpsampleLayer()   {}

// Sizes is the size of the result in each direction.
type Sizes []int64

func (Sizes) InterpolateFunc() {}
func (Sizes) UpsampleLayer()   {}

// ScaleFactor is the factor of all sizes.
type ScaleFactor float64

func (ScaleFactor) InterpolateFunc() {}
func (ScaleFactor) UpsampleLayer()   {}

// ScaleFactors is the factor of each size.
type ScaleFactors []float64

func (ScaleFactors) InterpolateFunc() {}
func (ScaleFactors) UpsampleLayer()   {}

// AlignCorners keeps the centers of the corners in place.
type AlignCorners bool

func (AlignCorners) InterpolateFunc() {}
func (AlignCorners) GridSampleFunc()  {}
func (AlignCorners) AffineGridFunc()  {}
func (AlignCorners) UpsampleLayer()   {}

// RecomputeScaleFactor computes the factor anew from the size of the result.
type RecomputeScaleFactor bool

func (RecomputeScaleFactor) InterpolateFunc() {}
func (RecomputeScaleFactor) UpsampleLayer()   {}

// Antialias smooths when sizes shrink.
type Antialias bool

func (Antialias) InterpolateFunc() {}
