package optim

import (
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An RMSpropOption is an option of [NewRMSprop]: [LR], [Alpha], [Eps],
// [WeightDecay], [Momentum], [Centered], [Maximize], [Foreach].
//
//gotorch:options LR Alpha Eps WeightDecay Momentum Centered Maximize Foreach
type RMSpropOption interface {
	Option
	rmspropOption()
}

// RMSprop divides each gradient by the square root of a running mean of its squares.
type RMSprop struct{ stepper }

var rmspropRule = rule{
	name: "RMSprop", states: []string{"step", "square_avg", "momentum_buffer", "grad_avg"},
	defaults: []Option{
		LR(1e-2),
		pyDefault{"momentum", pyInt(0)},
		Alpha(0.99), Eps(1e-8), Centered(false),
		pyDefault{"weight_decay", pyInt(0)},
		unsupported("capturable"),
		pyDefault{"foreach", nil},
		Maximize(false),
		unsupported("differentiable"),
	},
	checkSettings: func(s settings) (arg, problem string) { return s.rangeProblem("alpha", 0, math.Inf(1)) },
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.Momentum, o.Alpha, o.Centered = g.number("momentum"), g.number("alpha"), g.flag("centered")
	},
}

// NewRMSprop makes an RMSprop over params. Its options are [LR], [Alpha], [Eps],
// [WeightDecay], [Momentum], [Centered], [Maximize] and [Foreach].
// LR is 0.01 by default. Follows torch.optim.RMSprop.
func NewRMSprop(params []*torch.Tensor, opts ...RMSpropOption) *RMSprop {
	o := &RMSprop{newStepper(&rmspropRule, params, options(opts))}
	o.outer = o
	return o
}
