package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// RAdam is Adam that does not scale its first steps, because their running mean is
// over few gradients.
type RAdam struct{ stepper }

var radamRule = rule{
	name: "RAdam", states: []string{"step", "exp_avg", "exp_avg_sq"},
	defaults: []Option{
		LR(1e-3), Betas(0.9, 0.999), Eps(1e-8),
		fixed{"weight_decay", whole(0)},
		Maximize(false),
		fixed{"foreach", nil},
		fixed{"capturable", false},
		DecoupledWeightDecay(false),
		fixed{"differentiable", false},
	},
	check: nil,
	fill: func(g *ParamGroup, o *native.Settings) {
		o.Beta1, o.Beta2 = g.Betas()
		o.Decoupled = g.flag("decoupled_weight_decay")
	},
}

// NewRAdam makes an RAdam over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [DecoupledWeightDecay], [Maximize] and [Foreach].
// Follows torch.optim.RAdam.
func NewRAdam(params []*torch.Tensor, opts ...RAdamOption) *RAdam {
	o := &RAdam{build(&radamRule, params, options(opts))}
	o.whole = o
	return o
}
