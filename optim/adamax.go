package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Adamax is Adam with a decaying maximum of the gradients instead of the mean of
// their squares.
type Adamax struct{ stepper }

var adamaxRule = rule{
	name: "Adamax", states: []string{"step", "exp_avg", "exp_inf"},
	defaults: []Option{
		LR(2e-3), Betas(0.9, 0.999), Eps(1e-8),
		fixed{"weight_decay", whole(0)},
		fixed{"foreach", nil},
		Maximize(false),
		fixed{"differentiable", false},
		fixed{"capturable", false},
	},
	check: nil,
	fill:  func(g *ParamGroup, o *native.Settings) { o.Beta1, o.Beta2 = g.Betas() },
}

// NewAdamax makes an Adamax over params. Its options are [LR], [Betas], [Eps],
// [WeightDecay], [Maximize] and [Foreach]. LR is
// 0.002 by default. Follows torch.optim.Adamax.
func NewAdamax(params []*torch.Tensor, opts ...AdamaxOption) *Adamax {
	o := &Adamax{build(&adamaxRule, params, options(opts))}
	o.whole = o
	return o
}
