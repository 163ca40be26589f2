package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An SGDOption is an option of [NewSGD]: [LR], [Momentum], [Dampening],
// [WeightDecay], [Nesterov], [Maximize], [Foreach], [Fused].
//
//gotorch:options LR Momentum Dampening WeightDecay Nesterov Maximize Foreach Fused
type SGDOption interface {
	Option
	sgdOption()
}

// SGD is stochastic gradient descent with optional momentum. Gradients may be sparse
// unless Fused or WeightDecay is set.
type SGD struct{ stepper }

var sgdRule = rule{
	name: "SGD", states: []string{"momentum_buffer"},
	defaults: []Option{
		LR(1e-3),
		pyDefault{"momentum", pyInt(0)},
		pyDefault{"dampening", pyInt(0)},
		pyDefault{"weight_decay", pyInt(0)},
		Nesterov(false),
		Maximize(false),
		pyDefault{"foreach", nil},
		unsupported("differentiable"),
		pyDefault{"fused", nil},
	},
	checkSettings: func(s settings) (arg, problem string) {
		if s.find("nesterov").v == true && (s.find("momentum").num[0] == 0 || s.find("dampening").num[0] != 0) {
			return "nesterov", "requires a momentum and zero dampening"
		}
		return "", ""
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.Momentum, o.Dampening, o.Nesterov = g.number("momentum"), g.number("dampening"), g.flag("nesterov")
	},
}

// NewSGD makes an SGD over params. Its options are [LR], [Momentum], [Dampening],
// [WeightDecay], [Nesterov], [Maximize], [Foreach] and [Fused]. Follows torch.optim.SGD.
func NewSGD(params []*torch.Tensor, opts ...SGDOption) *SGD {
	o := &SGD{newStepper(&sgdRule, params, options(opts))}
	o.outer = o
	return o
}
