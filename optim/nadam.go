package optim

import (
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// NAdam is Adam with Nesterov's momentum.
type NAdam struct{ stepper }

var nadamRule = rule{
	name: "NAdam", states: []string{"step", "mu_product", "exp_avg", "exp_avg_sq"},
	defaults: []Option{
		LR(2e-3), Betas(0.9, 0.999), Eps(1e-8),
		fixed{"weight_decay", whole(0)},
		MomentumDecay(4e-3),
		DecoupledWeightDecay(false), Maximize(false),
		fixed{"foreach", nil},
		fixed{"capturable", false},
		fixed{"differentiable", false},
	},
	check: func(s settings) (arg, problem string) { return s.within("momentum_decay", 0, math.Inf(1)) },
	fill: func(g *ParamGroup, o *native.Settings) {
		o.Beta1, o.Beta2 = g.Betas()
		o.MomentumDecay, o.Decoupled = g.Float("momentum_decay"), g.flag("decoupled_weight_decay")
	},
}

// NewNAdam makes an NAdam over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [MomentumDecay], [DecoupledWeightDecay], [Maximize] and
// [Foreach]. LR is 0.002 by default.
// Follows torch.optim.NAdam.
func NewNAdam(params []*torch.Tensor, opts ...NAdamOption) *NAdam {
	o := &NAdam{build(&nadamRule, params, options(opts))}
	o.whole = o
	return o
}
