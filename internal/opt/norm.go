package opt

// The families of normalizations that are not in families.go.
type (
	LocalResponseNormFunc interface{ LocalResponseNormFunc() }

	InstanceNormLayer      interface{ InstanceNormLayer() }
	LocalResponseNormLayer interface{ LocalResponseNormLayer() } // and CrossMapLRN2d
)

func (AnyLayer) InstanceNormLayer()      {}
func (AnyLayer) LocalResponseNormLayer() {}

// K is what a local response normalization adds to the sum of squares.
type K float64

func (K) LocalResponseNormFunc()  {}
func (K) LocalResponseNormLayer() {}

func (Alpha) LocalResponseNormFunc()  {}
func (Alpha) LocalResponseNormLayer() {}
func (Beta) LocalResponseNormFunc()   {}
func (Beta) LocalResponseNormLayer()  {}

func (Eps) InstanceNormLayer()               {}
func (Momentum) InstanceNormLayer()          {}
func (MomentumWord) InstanceNormLayer()      {}
func (Affine) InstanceNormLayer()            {}
func (TrackRunningStats) InstanceNormLayer() {}
func (Device) InstanceNormLayer()            {}
func (DType) InstanceNormLayer()             {}
