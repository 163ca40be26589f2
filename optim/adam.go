package optim

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Adam scales each parameter's step by running means of its gradient and of
// the gradient's square.
type Adam struct{ *Base }

// AdamW is Adam with weight decay that shrinks the parameters directly instead
// of adding to the gradient.
type AdamW struct{ *Base }

var adamStates = []string{"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}

// NewAdam makes an Adam over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [Amsgrad], [Maximize], [Foreach], [Fused] and
// [DecoupledWeightDecay]. It panics with ErrValue for an empty list or settings
// out of range, and with ErrAutograd for a tensor that is not a leaf. Follows
// torch.optim.Adam.
func NewAdam(params []*torch.Tensor, opts ...AdamOption) *Adam {
	b := &Base{name: "Adam", states: adamStates, check: checkAdam}
	b.init(params, adamDefaults(whole(0), false), options(opts))
	return &Adam{b}
}

// NewAdamW makes an AdamW over params. Its options are those of [NewAdam]
// except DecoupledWeightDecay, and the default of WeightDecay is 0.01. It
// panics as NewAdam does. Follows torch.optim.AdamW.
func NewAdamW(params []*torch.Tensor, opts ...AdamOption) *AdamW {
	b := &Base{name: "AdamW", states: adamStates, check: checkAdam, locked: []string{"decoupled_weight_decay"}}
	b.init(params, adamDefaults(0.01, true), options(opts))
	return &AdamW{b}
}

// adamDefaults are all settings, in the order of Python's dict.
func adamDefaults(decay any, decoupled bool) []Option {
	return []Option{
		LR(1e-3), Betas(0.9, 0.999), Eps(1e-8),
		fixed{"weight_decay", decay},
		Amsgrad(false), Maximize(false),
		fixed{"foreach", nil},
		fixed{"capturable", false},
		fixed{"differentiable", false},
		fixed{"fused", nil},
		DecoupledWeightDecay(decoupled),
	}
}

func checkAdam(s settings) (arg, problem string) {
	for _, name := range []string{"capturable", "differentiable"} {
		if s.find(name).v == true {
			return name, "cannot be had here"
		}
	}
	return checkImplementation(s)
}

// checkImplementation refuses two implementations at once.
func checkImplementation(s settings) (arg, problem string) {
	if s.find("foreach").v == true && s.find("fused").v == true {
		return "fused", "foreach and fused cannot both be true"
	}
	return "", ""
}

func adamStep(op string, g *ParamGroup) (torch.Raw, abi.Status) {
	b1, b2 := g.Betas()
	o := native.AdamOptions{
		LR: g.LR(), Beta1: b1, Beta2: b2, Eps: g.Eps(), WeightDecay: g.WeightDecay(),
		Decoupled: g.Bool("decoupled_weight_decay"), Amsgrad: g.Amsgrad(), Maximize: g.Maximize(),
	}
	r := torch.BeginRaw(op, g.used...)
	return r, native.Adam(r.Ctx, &g.native, &o, &g.how)
}

// Step changes every parameter that has a gradient.
//
// It panics with ErrClosed after Close and for a closed parameter; with
// ErrValue for a parameter that is in Params twice, and for parameters or state
// that are not dense, are on the meta device or are expanded; with ErrRuntime
// for sparse gradients; with ErrType or ErrRuntime for a parameter whose dtype
// or device changed after its state was made; and with ErrOutOfMemory if there
// is no room for state. The group for which it panics is unchanged; the groups
// before it have done their step. For a closed parameter, or one given twice,
// no group has.
func (a *Adam) Step() { a.StepScaled(nil, nil) }

// StepScaled is Step for scaled gradients, as in mixed precision. It divides
// them by the single element of scale, and changes nothing if the single
// element of foundInf is 1. Either may be nil. Both are float32 tensors on the
// device of the parameters. Without [Fused], the gradients themselves are
// divided first and the step waits for foundInf, as Python's GradScaler does.
// It panics as Step does, and with ErrValue or ErrType if scale or foundInf has
// more than one element or is not float32.
func (a *Adam) StepScaled(scale, foundInf *torch.Tensor) {
	a.stepNative("Adam.Step", scale, foundInf, adamStep)
}

// Step changes every parameter that has a gradient. It panics as [Adam.Step]
// does.
func (a *AdamW) Step() { a.StepScaled(nil, nil) }

// StepScaled is Step for scaled gradients. It panics as [Adam.StepScaled] does, which
// says more.
func (a *AdamW) StepScaled(scale, foundInf *torch.Tensor) {
	a.stepNative("AdamW.Step", scale, foundInf, adamStep)
}
