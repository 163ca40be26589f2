package optim

import (
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An NAdamOption is an option of [NewNAdam]: [LR], [Betas], [Eps],
// [WeightDecay], [MomentumDecay], [DecoupledWeightDecay], [Maximize],
// [Foreach].
//
//gotorch:options LR BetaPair Eps WeightDecay MomentumDecay DecoupledWeightDecay Maximize Foreach
type NAdamOption interface {
	Option
	nadamOption()
}

// NAdam is Adam with Nesterov momentum.
type NAdam struct{ stepper }

var nadamRule = rule{
	name: "NAdam", states: []string{"step", "mu_product", "exp_avg", "exp_avg_sq"},
	defaults: []Option{
		LR(2e-3), Betas(0.9, 0.999), Eps(1e-8),
		pyDefault{"weight_decay", pyInt(0)},
		MomentumDecay(4e-3),
		DecoupledWeightDecay(false), Maximize(false),
		pyDefault{"foreach", nil},
		unsupported("capturable"),
		unsupported("differentiable"),
	},
	checkSettings: func(s settings) (arg, problem string) { return s.rangeProblem("momentum_decay", 0, math.Inf(1)) },
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.Beta1, o.Beta2 = g.pair("betas")
		o.MomentumDecay, o.Decoupled = g.number("momentum_decay"), g.flag("decoupled_weight_decay")
	},
}

// NewNAdam makes an NAdam over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [MomentumDecay], [DecoupledWeightDecay], [Maximize] and
// [Foreach]. LR is 0.002 by default.
// Follows torch.optim.NAdam.
func NewNAdam(params []*torch.Tensor, opts ...NAdamOption) *NAdam {
	o := &NAdam{newStepper(&nadamRule, params, options(opts))}
	o.outer = o
	return o
}
