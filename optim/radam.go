package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An RAdamOption is an option of [NewRAdam]: [LR], [Betas], [Eps],
// [WeightDecay], [DecoupledWeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR BetaPair Eps WeightDecay DecoupledWeightDecay Maximize Foreach
type RAdamOption interface {
	Option
	radamOption()
}

// RAdam is Adam that does not scale its first steps, because the running mean of squares then
// covers too few gradients.
type RAdam struct{ stepper }

var radamRule = rule{
	name: "RAdam", states: []string{"step", "exp_avg", "exp_avg_sq"},
	defaults: []Option{
		LR(1e-3), Betas(0.9, 0.999), Eps(1e-8),
		pyDefault{"weight_decay", pyInt(0)},
		Maximize(false),
		pyDefault{"foreach", nil},
		unsupported("capturable"),
		DecoupledWeightDecay(false),
		unsupported("differentiable"),
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.Beta1, o.Beta2 = g.pair("betas")
		o.Decoupled = g.flag("decoupled_weight_decay")
	},
}

// NewRAdam makes an RAdam over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [DecoupledWeightDecay], [Maximize] and [Foreach].
// Follows torch.optim.RAdam.
func NewRAdam(params []*torch.Tensor, opts ...RAdamOption) *RAdam {
	o := &RAdam{newStepper(&radamRule, params, options(opts))}
	o.outer = o
	return o
}
