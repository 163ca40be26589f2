package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SGD is stochastic gradient descent with optional momentum. Gradients may be sparse
// unless Fused or WeightDecay is set.
type SGD struct{ stepper }

var sgdRule = rule{
	name: "SGD", states: []string{"momentum_buffer"},
	defaults: []Option{
		LR(1e-3),
		fixed{"momentum", whole(0)},
		fixed{"dampening", whole(0)},
		fixed{"weight_decay", whole(0)},
		Nesterov(false),
		Maximize(false),
		fixed{"foreach", nil},
		fixed{"differentiable", false},
		fixed{"fused", nil},
	},
	check: func(s settings) (arg, problem string) {
		if s.find("nesterov").v == true && (s.find("momentum").num[0] == 0 || s.find("dampening").num[0] != 0) {
			return "nesterov", "needs a momentum and no dampening"
		}
		return "", ""
	},
	fill: func(g *ParamGroup, o *native.Settings) {
		o.Momentum, o.Dampening, o.Nesterov = g.Momentum(), g.Dampening(), g.Nesterov()
	},
}

// NewSGD makes a SGD over params. Its options are [LR], [Momentum], [Dampening],
// [WeightDecay], [Nesterov], [Maximize], [Foreach] and [Fused].
// Follows torch.optim.SGD.
func NewSGD(params []*torch.Tensor, opts ...SGDOption) *SGD {
	o := &SGD{build(&sgdRule, params, options(opts))}
	o.whole = o
	return o
}
