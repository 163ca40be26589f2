package optim

// Alpha is the decay rate of [RMSprop]'s running means, 0.99 by default, and the
// power of the steps that [ASGD]'s rate falls with, 0.75 by default.
type Alpha float64

// Centered subtracts the square of the gradient's running mean from the mean of
// its square. The default is false.
type Centered bool

// LRDecay is how fast the learning rate falls with the steps. It must not be
// negative. The default is 0.
type LRDecay float64

// InitialAccumulatorValue is what the sum of squares begins with. It must not be
// negative. The default is 0.
type InitialAccumulatorValue float64

// Rho is the decay rate of the running means, from 0 to 1. The default is 0.9.
type Rho float64

// MomentumDecay is how fast the momentum grows to its final value. It must not
// be negative. The default is 0.004.
type MomentumDecay float64

// EtaPair is the type of [Etas].
type EtaPair [2]float64

// Etas are the factors of a step size when the gradient's sign changes, between 0
// and 1, and when it stays, above 1. The default is 0.5 and 1.2.
func Etas(etaminus, etaplus float64) EtaPair { return EtaPair{etaminus, etaplus} }

// StepSizePair is the type of [StepSizes].
type StepSizePair [2]float64

// StepSizes are the smallest and the largest step size. The default is 1e-6 and
// 50.
func StepSizes(smallest, largest float64) StepSizePair { return StepSizePair{smallest, largest} }

// Lambd is how fast parameters decay. The default is 1e-4.
type Lambd float64

// T0 is the step at which averaging begins. The default is 1e6.
type T0 float64

// Beta2Decay is the power of the steps by which the mean of squares moves, at
// most 0. The default is -0.8.
type Beta2Decay float64

// EpsTuple is the type of [EpsPair].
type EpsTuple [2]any

// EpsPair are what [Adafactor] keeps the mean of squares and the parameters'
// scale above. eps1 is a number, or nil for the smallest difference from 1 that
// the parameters' dtype knows. The default is nil and 0.001.
func EpsPair(eps1 any, eps2 float64) EpsTuple { return EpsTuple{eps1, eps2} }

// D is the largest root mean square of an update, at least 1. The default is 1.
type D float64

// NSCoefficientTuple is the type of [NSCoefficients].
type NSCoefficientTuple [3]float64

// NSCoefficients are those of the polynomial that makes a matrix orthogonal. The
// default is 3.4445, -4.775 and 2.0315.
func NSCoefficients(a, b, c float64) NSCoefficientTuple { return NSCoefficientTuple{a, b, c} }

// NSSteps is how often the polynomial is applied, fewer than 100 times. The
// default is 5.
type NSSteps int64

// AdjustLRFn says how the rate follows from a matrix's shape. Without it, it does
// as with AdjustLRFnOriginal.
type AdjustLRFn string

// The ways to adjust the rate: for tall matrices by the root of the ratio of their
// sides, or so that a step is about as large as AdamW's.
const (
	AdjustLRFnOriginal      AdjustLRFn = "original"
	AdjustLRFnMatchRMSAdamW AdjustLRFn = "match_rms_adamw"
)

// MaxIter is the most iterations of a step. The default is 20.
type MaxIter int64

// MaxEval is the most calls of the closure in a step. The default is 5/4 of
// [MaxIter].
type MaxEval int64

// ToleranceGrad ends a step when no element of the gradient is larger. The
// default is 1e-7.
type ToleranceGrad float64

// ToleranceChange ends a step when neither the loss nor any parameter changes by
// more. The default is 1e-9.
type ToleranceChange float64

// HistorySize is the number of updates to remember, at least 1. The default is
// 100.
type HistorySize int64

// LineSearchFn says how the length of a step is searched for. Without it, the
// length is the learning rate.
type LineSearchFn string

// LineSearchFnStrongWolfe searches for a step that fulfils the strong Wolfe
// conditions.
const LineSearchFnStrongWolfe LineSearchFn = "strong_wolfe"

// Capturable is for CUDA graphs, which cannot be captured here: true is
// ErrValue. The default is false.
type Capturable bool

// Differentiable would let autograd record the step itself, which is one call
// into libtorch that it does not see: true is ErrValue. Write such a step with
// the operators of tensors. The default is false.
type Differentiable bool

// Setting returns "alpha".
func (v Alpha) Setting() (string, any) { return "alpha", float64(v) }

// Setting returns "centered".
func (v Centered) Setting() (string, any) { return "centered", bool(v) }

// Setting returns "lr_decay".
func (v LRDecay) Setting() (string, any) { return "lr_decay", float64(v) }

// Setting returns "initial_accumulator_value".
func (v InitialAccumulatorValue) Setting() (string, any) {
	return "initial_accumulator_value", float64(v)
}

// Setting returns "rho".
func (v Rho) Setting() (string, any) { return "rho", float64(v) }

// Setting returns "momentum_decay".
func (v MomentumDecay) Setting() (string, any) { return "momentum_decay", float64(v) }

// Setting returns "etas".
func (v EtaPair) Setting() (string, any) { return "etas", [2]float64(v) }

// Setting returns "step_sizes".
func (v StepSizePair) Setting() (string, any) { return "step_sizes", [2]float64(v) }

// Setting returns "lambd".
func (v Lambd) Setting() (string, any) { return "lambd", float64(v) }

// Setting returns "t0".
func (v T0) Setting() (string, any) { return "t0", float64(v) }

// Setting returns "beta2_decay".
func (v Beta2Decay) Setting() (string, any) { return "beta2_decay", float64(v) }

// Setting returns "eps".
func (v EpsTuple) Setting() (string, any) { return "eps", [2]any(v) }

// Setting returns "d".
func (v D) Setting() (string, any) { return "d", float64(v) }

// Setting returns "ns_coefficients".
func (v NSCoefficientTuple) Setting() (string, any) { return "ns_coefficients", [3]float64(v) }

// Setting returns "ns_steps".
func (v NSSteps) Setting() (string, any) { return "ns_steps", int64(v) }

// Setting returns "adjust_lr_fn".
func (v AdjustLRFn) Setting() (string, any) { return "adjust_lr_fn", string(v) }

// Setting returns "max_iter".
func (v MaxIter) Setting() (string, any) { return "max_iter", int64(v) }

// Setting returns "max_eval".
func (v MaxEval) Setting() (string, any) { return "max_eval", int64(v) }

// Setting returns "tolerance_grad".
func (v ToleranceGrad) Setting() (string, any) { return "tolerance_grad", float64(v) }

// Setting returns "tolerance_change".
func (v ToleranceChange) Setting() (string, any) { return "tolerance_change", float64(v) }

// Setting returns "history_size".
func (v HistorySize) Setting() (string, any) { return "history_size", int64(v) }

// Setting returns "line_search_fn".
func (v LineSearchFn) Setting() (string, any) { return "line_search_fn", string(v) }

// Setting returns "capturable".
func (v Capturable) Setting() (string, any) { return "capturable", bool(v) }

// Setting returns "differentiable".
func (v Differentiable) Setting() (string, any) { return "differentiable", bool(v) }
