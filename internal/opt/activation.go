package opt

// The families of activations and dropouts that are not in families.go.
type (
	RReLUFunc         interface{ RReLUFunc() }
	ShrinkFunc        interface{ ShrinkFunc() } // Hardshrink and Softshrink
	GumbelSoftmaxFunc interface{ GumbelSoftmaxFunc() }

	InplaceLayer      interface{ InplaceLayer() } // activations that take no number
	ELULayer          interface{ ELULayer() }     // and CELU
	RReLULayer        interface{ RReLULayer() }
	HardtanhLayer     interface{ HardtanhLayer() }
	SoftplusLayer     interface{ SoftplusLayer() }
	ShrinkLayer       interface{ ShrinkLayer() } // Hardshrink and Softshrink
	GLULayer          interface{ GLULayer() }
	PReLULayer        interface{ PReLULayer() }
	AlphaDropoutLayer interface{ AlphaDropoutLayer() } // and FeatureAlphaDropout
)

func (AnyLayer) InplaceLayer()      {}
func (AnyLayer) ELULayer()          {}
func (AnyLayer) RReLULayer()        {}
func (AnyLayer) HardtanhLayer()     {}
func (AnyLayer) SoftplusLayer()     {}
func (AnyLayer) ShrinkLayer()       {}
func (AnyLayer) GLULayer()          {}
func (AnyLayer) PReLULayer()        {}
func (AnyLayer) AlphaDropoutLayer() {}

// Inplace makes a layer change its input.
type Inplace bool

func (Inplace) InplaceLayer()   {}
func (Inplace) ELULayer()       {}
func (Inplace) RReLULayer()     {}
func (Inplace) HardtanhLayer()  {}
func (Inplace) LeakyReLULayer() {}
func (Inplace) DropoutLayer()   {}

// Lower is the least slope of RReLU.
type Lower float64

func (Lower) RReLUFunc()  {}
func (Lower) RReLULayer() {}

// Upper is the largest slope of RReLU.
type Upper float64

func (Upper) RReLUFunc()  {}
func (Upper) RReLULayer() {}

// Lambd is how far from 0 a shrinking activation begins.
type Lambd float64

func (Lambd) ShrinkFunc()  {}
func (Lambd) ShrinkLayer() {}

// Tau is the temperature of GumbelSoftmax.
type Tau float64

func (Tau) GumbelSoftmaxFunc() {}

// Hard makes the result of GumbelSoftmax one-hot.
type Hard bool

func (Hard) GumbelSoftmaxFunc() {}

// NumParameters is the number of slopes that PReLU learns.
type NumParameters int64

func (NumParameters) PReLULayer() {}

// Init is what the slopes of PReLU start as.
type Init float64

func (Init) PReLULayer() {}

func (Alpha) ELULayer()          {}
func (MinVal) HardtanhLayer()    {}
func (MaxVal) HardtanhLayer()    {}
func (Beta) SoftplusLayer()      {}
func (Threshold) SoftplusLayer() {}
func (Dim) GLULayer()            {}
func (Dim) GumbelSoftmaxFunc()   {}
func (Training) RReLUFunc()      {}
func (P) AlphaDropoutLayer()     {}
func (Device) PReLULayer()       {}
func (DType) PReLULayer()        {}
