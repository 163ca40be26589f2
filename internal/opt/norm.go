package opt

// The families of normalization layers that are not in families.go.
type (
	//gotorch:options K Alpha Beta
	LocalResponseNormFunc interface{ localResponseNormFunc() }

	//gotorch:options AnyLayer Eps Momentum MomentumWord Affine TrackRunningStats Device DType
	InstanceNormLayer interface{ instanceNormLayer() }
	//gotorch:options AnyLayer K Alpha Beta
	LocalResponseNormLayer interface{ localResponseNormLayer() } // and CrossMapLRN2d
)

// K is the constant that a local response normalization adds to the sum of squares.
type K float64
