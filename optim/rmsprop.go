package optim

import (
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// RMSprop divides each gradient by the root of a running mean of its square.
type RMSprop struct{ stepper }

var rmspropRule = rule{
	name: "RMSprop", states: []string{"step", "square_avg", "momentum_buffer", "grad_avg"},
	defaults: []Option{
		LR(1e-2),
		fixed{"momentum", whole(0)},
		Alpha(0.99), Eps(1e-8), Centered(false),
		fixed{"weight_decay", whole(0)},
		fixed{"capturable", false},
		fixed{"foreach", nil},
		Maximize(false),
		fixed{"differentiable", false},
	},
	check: func(s settings) (arg, problem string) { return s.within("alpha", 0, math.Inf(1)) },
	fill: func(g *ParamGroup, o *native.Settings) {
		o.Momentum, o.Alpha, o.Centered = g.Momentum(), g.Float("alpha"), g.flag("centered")
	},
}

// NewRMSprop makes an RMSprop over params. Its options are [LR], [Alpha], [Eps],
// [WeightDecay], [Momentum], [Centered], [Maximize] and [Foreach].
// LR is 0.01 by default. Follows torch.optim.RMSprop.
func NewRMSprop(params []*torch.Tensor, opts ...RMSpropOption) *RMSprop {
	o := &RMSprop{build(&rmspropRule, params, options(opts))}
	o.whole = o
	return o
}
