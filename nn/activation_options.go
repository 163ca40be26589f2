package nn

import "github.com/gotorch/gotorch/internal/opt"

// The option types of activations and dropouts. Constructors with the same options
// share a type. Every type includes [Base.As].
type (
	// An InplaceOption is [Inplace] or [Base.As].
	InplaceOption interface{ opt.InplaceLayer }
	// An ELUOption is an option of ELU and CELU: [Alpha], [Inplace] or [Base.As].
	ELUOption interface{ opt.ELULayer }
	// An RReLUOption is [Lower], [Upper], [Inplace] or [Base.As].
	RReLUOption interface{ opt.RReLULayer }
	// A HardtanhOption is [MinVal], [MaxVal], [Inplace] or [Base.As].
	HardtanhOption interface{ opt.HardtanhLayer }
	// A PReLUOption is [NumParameters], [Init], [Device], [DType] or [Base.As].
	PReLUOption interface{ opt.PReLULayer }
	// A GELUOption is [Approximate] or [Base.As].
	GELUOption interface{ opt.GELULayer }
	// A SoftplusOption is [Beta], [WithThreshold] or [Base.As].
	SoftplusOption interface{ opt.SoftplusLayer }
	// A ShrinkOption is an option of Hardshrink and Softshrink: [Lambd] or [Base.As].
	ShrinkOption interface{ opt.ShrinkLayer }
	// A GLUOption is [Dim] or [Base.As].
	GLUOption interface{ opt.GLULayer }
)

// The options of activations.
type (
	// Inplace says whether a layer modifies its input and returns it instead of
	// making a new tensor. A leaf that requires gradients cannot be modified in
	// place. The default is false. For example Inplace(true).
	Inplace = opt.Inplace
	// Alpha is the scale of ELU and CELU for negative x, 1 by default. In a local
	// response normalization it is the factor of the mean square, 1e-4 by default.
	// For example Alpha(0.5).
	Alpha = opt.Alpha
	// Lower is the smallest slope of RReLU. The default is 1/8. For example
	// Lower(0.1).
	Lower = opt.Lower
	// Upper is the largest slope of RReLU. The default is 1/3. For example Upper(0.3).
	Upper = opt.Upper
	// MinVal is the lower limit of Hardtanh. The default is -1. For example
	// MinVal(0).
	MinVal = opt.MinVal
	// MaxVal is the upper limit of Hardtanh. The default is 1. For example
	// MaxVal(6).
	MaxVal = opt.MaxVal
	// NumParameters is the number of slopes that PReLU learns: one, or one for each
	// channel. The default is 1. For example NumParameters(64).
	NumParameters = opt.NumParameters
	// Init is the initial value of PReLU's slopes. The default is 0.25. For example
	// Init(0.1).
	Init = opt.Init
	// Approximate says how GELU is computed. The default is [ApproximateNone].
	Approximate = opt.Approximate
	// WithThreshold is the value above which Softplus is linear. The default is 20.
	// For example WithThreshold(10).
	WithThreshold = opt.Threshold
	// Lambd is the half-width of the interval around 0 that Hardshrink sets to 0, and
	// the amount that Softshrink subtracts. The default is 0.5. For example
	// Lambd(0.3).
	Lambd = opt.Lambd
	// Dim is the dimension that a layer works along; a negative Dim counts from the
	// end. The default is -1 for GLU and 1 for CosineSimilarity. For example Dim(1).
	Dim = opt.Dim
)

// The values of [Approximate].
const (
	ApproximateNone = opt.ApproximateNone
	ApproximateTanh = opt.ApproximateTanh
)
