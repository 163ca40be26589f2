package optim

// Alpha is the decay rate of [RMSprop]'s running means, 0.99 by default. For [ASGD] it is the
// exponent with which the learning rate falls, 0.75 by default.
type Alpha float64

// Centered says whether a step is normalized by the variance of the gradient instead of
// its mean square. The default is false.
type Centered bool

// LRDecay is how fast the learning rate falls with the number of steps. It must not be negative.
// The default is 0, which means not at all.
type LRDecay float64

// InitialAccumulatorValue is the initial sum of squares. It must not be negative. The
// default is 0.
type InitialAccumulatorValue float64

// Rho is the decay rate of the running means, from 0 to 1. The default is 0.9.
type Rho float64

// MomentumDecay is how fast the momentum approaches its final value. It must not be
// negative. The default is 0.004.
type MomentumDecay float64

// EtaPair is the type of [Etas].
type EtaPair [2]float64

// Etas holds the factors by which a step size changes: etaminus, between 0 and 1, when the
// gradient's sign changes, and etaplus, above 1, when the sign stays. The default is 0.5 and 1.2.
func Etas(etaminus, etaplus float64) EtaPair { return EtaPair{etaminus, etaplus} }

// StepSizePair is the type of [StepSizes].
type StepSizePair [2]float64

// StepSizes holds the smallest and the largest step size. The default is 1e-6 and 50.
func StepSizes(smallest, largest float64) StepSizePair { return StepSizePair{smallest, largest} }

// Lambd is how fast parameters decay. The default is 1e-4.
type Lambd float64

// T0 is the step at which averaging begins. The default is 1e6.
type T0 float64

// Beta2Decay is the exponent, at most 0, in the decay rate of the mean of squares.
// The default is -0.8.
type Beta2Decay float64

// EpsTuple is the type of [EpsPair].
type EpsTuple [2]any

// EpsPair holds two lower limits for [Adafactor]: eps1 limits the mean of squares, and eps2 the
// scale of the parameters. If eps1 is nil, it is the machine epsilon of the parameters' dtype. The
// default is nil and 0.001.
func EpsPair(eps1 any, eps2 float64) EpsTuple { return EpsTuple{eps1, eps2} }

// D limits the root mean square of an update. It must be at least 1, which is the default.
type D float64

// NSCoefficientTuple is the type of [NSCoefficients].
type NSCoefficientTuple [3]float64

// NSCoefficients holds the coefficients of the Newton-Schulz polynomial that makes a
// matrix orthogonal. The default is 3.4445, -4.775 and 2.0315.
func NSCoefficients(a, b, c float64) NSCoefficientTuple { return NSCoefficientTuple{a, b, c} }

// NSSteps is the number of Newton-Schulz iterations, below 100. The default is 5.
type NSSteps int64

// AdjustLRFn says how the learning rate depends on a matrix's shape. The default is
// AdjustLRFnOriginal.
type AdjustLRFn string

// The values of [AdjustLRFn]. AdjustLRFnOriginal scales the rate by the square root of rows/columns
// if there are more rows. AdjustLRFnMatchRMSAdamW makes a step about as large as AdamW's.
const (
	AdjustLRFnOriginal      AdjustLRFn = "original"
	AdjustLRFnMatchRMSAdamW AdjustLRFn = "match_rms_adamw"
)

// MaxIter is the maximum number of iterations per step. The default is 20.
type MaxIter int64

// MaxEval is the maximum number of closure calls per step. The default is 5/4 of
// [MaxIter].
type MaxEval int64

// ToleranceGrad ends a step if no element of the gradient is larger than this value. The
// default is 1e-7.
type ToleranceGrad float64

// ToleranceChange ends a step if neither the loss nor any parameter changes by more than
// this value. The default is 1e-9.
type ToleranceChange float64

// HistorySize is the number of updates to store, at least 1. The default is 100.
type HistorySize int64

// LineSearchFn selects the line search that determines the length of a step. By default there is
// none, and the length is the learning rate.
type LineSearchFn string

// LineSearchFnStrongWolfe searches for a step that satisfies the strong Wolfe
// conditions.
const LineSearchFnStrongWolfe LineSearchFn = "strong_wolfe"

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
