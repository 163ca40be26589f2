package opt

// The option families of activations and dropouts that are not in families.go.
type (
	//gotorch:options Lower Upper Training
	RReLUFunc interface{ rReLUFunc() }
	//gotorch:options Lambd
	ShrinkFunc interface{ shrinkFunc() } // Hardshrink and Softshrink
	//gotorch:options Tau Hard Dim
	GumbelSoftmaxFunc interface{ gumbelSoftmaxFunc() }

	//gotorch:options AnyLayer Inplace
	InplaceLayer interface{ inplaceLayer() } // activations whose only option is Inplace
	//gotorch:options AnyLayer Inplace Alpha
	ELULayer interface{ eluLayer() } // and CELU
	//gotorch:options AnyLayer Inplace Lower Upper
	RReLULayer interface{ rReLULayer() }
	//gotorch:options AnyLayer Inplace MinVal MaxVal
	HardtanhLayer interface{ hardtanhLayer() }
	//gotorch:options AnyLayer Beta Threshold
	SoftplusLayer interface{ softplusLayer() }
	//gotorch:options AnyLayer Lambd
	ShrinkLayer interface{ shrinkLayer() } // Hardshrink and Softshrink
	//gotorch:options AnyLayer Dim
	GLULayer interface{ gluLayer() }
	//gotorch:options AnyLayer NumParameters Init Device DType
	PReLULayer interface{ pReLULayer() }
)

// Inplace says whether a layer modifies its input.
type Inplace bool

// Lower is the smallest slope of RReLU.
type Lower float64

// Upper is the largest slope of RReLU.
type Upper float64

// Lambd is the threshold of Hardshrink and Softshrink.
type Lambd float64

// Tau is the temperature of GumbelSoftmax.
type Tau float64

// Hard says whether the result of GumbelSoftmax is one-hot.
type Hard bool

// NumParameters is the number of slopes that PReLU learns.
type NumParameters int64

// Init is the initial value of PReLU's slopes.
type Init float64
