package optim

// Option is a setting of an optimizer under PyTorch's name. Pass the options of this
// package to the constructors that accept them, to [Optimizer].AddParamGroup and to
// [ParamGroup.Set]. Your own optimizer may have other settings: any type with this
// method is an option.
type Option interface {
	// Setting returns PyTorch's name of the setting and its value. The value is a bool, int64,
	// float64, string, [2]float64, [3]float64, []float64, a [2]any of float64 and nil, or nil for
	// Python's None. A setting keeps the type of its default, except that an int64 is accepted for
	// a float64. If the default is nil, the setting may take any value, and may become nil again.
	Setting() (name string, value any)
}

// LR is the learning rate. It must not be negative. The default is 1e-3.
type LR float64

// WeightDecay is the strength with which parameters decay towards zero. It must not be negative.
// The default is 0, and 0.01 for [AdamW]. AdamW shrinks the parameters directly; the other
// optimizers add the decay to the gradient.
type WeightDecay float64

// Eps is added to the denominator. It must not be negative. The default is
// 1e-8.
type Eps float64

// Momentum is the fraction of the last step that is added to the next one. It must not be negative.
// The default is 0, which means no momentum.
type Momentum float64

// Dampening is the fraction of the gradient that does not enter the momentum. The default is 0.
type Dampening float64

// Nesterov says whether Nesterov momentum is used. It needs a [Momentum], and cannot be
// combined with [Dampening]. The default is false.
type Nesterov bool

// AMSGrad says whether a step divides by the largest second moment so far instead of the
// current one. The default is false.
type AMSGrad bool

// Maximize says whether to maximize the objective instead of minimizing it. The default
// is false.
type Maximize bool

// Foreach says whether a step performs each operation on all parameters together, which
// takes more memory. If neither Foreach nor [Fused] is given, Foreach is true if all
// parameters of the group that have a gradient are on CUDA.
type Foreach bool

// Fused says whether a step is one kernel for all parameters. The parameters must be floating-point
// tensors with dense gradients. This implementation is the fastest, and its results differ from the
// others in the last bits. The default is false.
type Fused bool

// DecoupledWeightDecay says whether [Adam] computes the same as [AdamW]. The default is
// false. In the groups of an AdamW it is always true, and cannot be set.
type DecoupledWeightDecay bool

// InitialLR is the learning rate that schedulers start from. The first scheduler sets
// it to the group's learning rate unless it is already set. Every optimizer's
// AddParamGroup and [ParamGroup.Set] accept it. Follows the group's "initial_lr".
type InitialLR float64

// BetaPair is the type of [Betas].
type BetaPair [2]float64

// Betas holds the decay rates of the running means of the gradient and of its square,
// each at least 0 and below 1. The default is 0.9 and 0.999.
func Betas(beta1, beta2 float64) BetaPair { return BetaPair{beta1, beta2} }

// Setting returns "lr".
func (v LR) Setting() (string, any) { return "lr", float64(v) }

// Setting returns "weight_decay".
func (v WeightDecay) Setting() (string, any) { return "weight_decay", float64(v) }

// Setting returns "eps".
func (v Eps) Setting() (string, any) { return "eps", float64(v) }

// Setting returns "momentum".
func (v Momentum) Setting() (string, any) { return "momentum", float64(v) }

// Setting returns "dampening".
func (v Dampening) Setting() (string, any) { return "dampening", float64(v) }

// Setting returns "nesterov".
func (v Nesterov) Setting() (string, any) { return "nesterov", bool(v) }

// Setting returns "amsgrad".
func (v AMSGrad) Setting() (string, any) { return "amsgrad", bool(v) }

// Setting returns "maximize".
func (v Maximize) Setting() (string, any) { return "maximize", bool(v) }

// Setting returns "foreach".
func (v Foreach) Setting() (string, any) { return "foreach", bool(v) }

// Setting returns "fused".
func (v Fused) Setting() (string, any) { return "fused", bool(v) }

// Setting returns "decoupled_weight_decay".
func (v DecoupledWeightDecay) Setting() (string, any) { return "decoupled_weight_decay", bool(v) }

// Setting returns "initial_lr".
func (v InitialLR) Setting() (string, any) { return "initial_lr", float64(v) }

// Setting returns "betas".
func (v BetaPair) Setting() (string, any) { return "betas", [2]float64(v) }

// A ZeroGradOption is an argument of [Base.ZeroGrad]: [SetToNone].
//
//gotorch:options SetToNone
type ZeroGradOption interface{ zeroGradOption() }

// SetToNone says whether ZeroGrad removes the gradients; if false, it fills them with
// zeros. The default is true.
type SetToNone bool
