package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An AdamaxOption is an option of [NewAdamax]: [LR], [Betas], [Eps],
// [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR BetaPair Eps WeightDecay Maximize Foreach
type AdamaxOption interface {
	Option
	adamaxOption()
}

// Adamax is Adam with a decaying maximum of the gradients' absolute values instead of the running
// mean of their squares.
type Adamax struct{ stepper }

var adamaxRule = rule{
	name: "Adamax", states: []string{"step", "exp_avg", "exp_inf"},
	defaults: []Option{
		LR(2e-3), Betas(0.9, 0.999), Eps(1e-8),
		pyDefault{"weight_decay", pyInt(0)},
		pyDefault{"foreach", nil},
		Maximize(false),
		unsupported("differentiable"),
		unsupported("capturable"),
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) { o.Beta1, o.Beta2 = g.pair("betas") },
}

// NewAdamax makes an Adamax over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [Maximize] and [Foreach]. LR is
// 0.002 by default. Follows torch.optim.Adamax.
func NewAdamax(params []*torch.Tensor, opts ...AdamaxOption) *Adamax {
	o := &Adamax{newStepper(&adamaxRule, params, options(opts))}
	o.outer = o
	return o
}
