package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An AdamOption is an option of [NewAdam]: [LR], [Betas], [Eps], [WeightDecay],
// [AMSGrad], [Maximize], [Foreach], [Fused], [DecoupledWeightDecay].
//
//gotorch:options LR BetaPair Eps WeightDecay AMSGrad Maximize Foreach Fused
//gotorch:options DecoupledWeightDecay
type AdamOption interface {
	Option
	adamOption()
}

// An AdamWOption is an option of [NewAdamW]: [LR], [Betas], [Eps], [WeightDecay],
// [AMSGrad], [Maximize], [Foreach], [Fused].
//
//gotorch:options LR BetaPair Eps WeightDecay AMSGrad Maximize Foreach Fused
type AdamWOption interface {
	Option
	adamwOption()
}

// Adam scales each step by running means of the gradient and of its square.
type Adam struct{ stepper }

// AdamW is Adam with decoupled weight decay: the decay shrinks the parameters directly instead of
// adding to the gradients.
type AdamW struct{ stepper }

var adamRule = rule{
	name: "Adam", states: []string{"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
	defaults: []Option{
		LR(1e-3), Betas(0.9, 0.999), Eps(1e-8),
		pyDefault{"weight_decay", pyInt(0)},
		AMSGrad(false), Maximize(false),
		pyDefault{"foreach", nil},
		unsupported("capturable"),
		unsupported("differentiable"),
		pyDefault{"fused", nil},
		DecoupledWeightDecay(false),
	},
	fillSettings: adamSettings,
}

var adamwRule = rule{
	name: "AdamW", states: []string{"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"},
	defaults: []Option{
		LR(1e-3), Betas(0.9, 0.999), Eps(1e-8), WeightDecay(0.01), AMSGrad(false), Maximize(false),
		pyDefault{"foreach", nil},
		unsupported("capturable"),
		unsupported("differentiable"),
		pyDefault{"fused", nil},
		DecoupledWeightDecay(true),
	},
	fillSettings: adamSettings,
	locked:       []string{"decoupled_weight_decay"},
}

func adamSettings(g *ParamGroup, o *native.Settings) {
	o.Beta1, o.Beta2 = g.pair("betas")
	o.Decoupled, o.Amsgrad = g.flag("decoupled_weight_decay"), g.flag("amsgrad")
}

// NewAdam makes an Adam over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [AMSGrad], [Maximize], [Foreach], [Fused] and
// [DecoupledWeightDecay]. Follows torch.optim.Adam.
func NewAdam(params []*torch.Tensor, opts ...AdamOption) *Adam {
	o := &Adam{newStepper(&adamRule, params, options(opts))}
	o.outer = o
	return o
}

// NewAdamW makes an AdamW over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [AMSGrad], [Maximize], [Foreach] and [Fused]. WeightDecay is 0.01
// by default. Follows torch.optim.AdamW.
func NewAdamW(params []*torch.Tensor, opts ...AdamWOption) *AdamW {
	o := &AdamW{newStepper(&adamwRule, params, options(opts))}
	o.outer = o
	return o
}
