package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An ASGDOption is an option of [NewASGD]: [LR], [Lambd], [Alpha], [T0],
// [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR Lambd Alpha T0 WeightDecay Maximize Foreach
type ASGDOption interface {
	Option
	asgdOption()
}

// ASGD is stochastic gradient descent that also averages the parameters. The state "ax" is their
// average.
type ASGD struct{ stepper }

var asgdRule = rule{
	name: "ASGD", states: []string{"step", "eta", "mu", "ax"},
	defaults: []Option{
		LR(1e-2), Lambd(1e-4), Alpha(0.75), T0(1e6),
		pyDefault{"weight_decay", pyInt(0)},
		pyDefault{"foreach", nil},
		Maximize(false),
		unsupported("differentiable"),
		unsupported("capturable"),
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.Initial, o.Lambd, o.Alpha, o.T0 = g.number("lr"), g.number("lambd"), g.number("alpha"), g.number("t0")
	},
}

// NewASGD makes an ASGD over params. Its options are [LR], [Lambd], [Alpha], [T0],
// [WeightDecay], [Maximize] and [Foreach]. LR is 0.01
// and Alpha 0.75 by default. Follows torch.optim.ASGD.
func NewASGD(params []*torch.Tensor, opts ...ASGDOption) *ASGD {
	o := &ASGD{newStepper(&asgdRule, params, options(opts))}
	o.outer = o
	return o
}
