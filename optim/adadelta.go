package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An AdadeltaOption is an option of [NewAdadelta]: [LR], [Rho], [Eps],
// [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR Rho Eps WeightDecay Maximize Foreach
type AdadeltaOption interface {
	Option
	adadeltaOption()
}

// Adadelta scales each gradient by running means of the squared gradients and the
// squared steps.
type Adadelta struct{ stepper }

var adadeltaRule = rule{
	name: "Adadelta", states: []string{"step", "square_avg", "acc_delta"},
	defaults: []Option{
		LR(1), Rho(0.9), Eps(1e-6),
		pyDefault{"weight_decay", pyInt(0)},
		Maximize(false),
		unsupported("capturable"),
		pyDefault{"foreach", nil},
		unsupported("differentiable"),
	},
	checkSettings: func(s settings) (arg, problem string) { return s.rangeProblem("rho", 0, 1) },
	fillSettings:  func(g *ParamGroup, o *native.Settings) { o.Rho = g.number("rho") },
}

// NewAdadelta makes an Adadelta over params. Its options are [LR], [Rho], [Eps],
// [WeightDecay], [Maximize] and [Foreach]. LR is 1
// and Eps 1e-6 by default. Follows torch.optim.Adadelta.
func NewAdadelta(params []*torch.Tensor, opts ...AdadeltaOption) *Adadelta {
	o := &Adadelta{newStepper(&adadeltaRule, params, options(opts))}
	o.outer = o
	return o
}
