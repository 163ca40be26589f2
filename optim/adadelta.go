package optim

import (
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// Adadelta scales each gradient by running means of the squared gradients and the
// squared steps.
type Adadelta struct{ stepper }

var adadeltaRule = rule{
	name: "Adadelta", states: []string{"step", "square_avg", "acc_delta"},
	defaults: []Option{
		LR(1), Rho(0.9), Eps(1e-6),
		fixed{"weight_decay", whole(0)},
		Maximize(false),
		fixed{"capturable", false},
		fixed{"foreach", nil},
		fixed{"differentiable", false},
	},
	check: func(s settings) (arg, problem string) { return s.within("rho", 0, 1) },
	fill:  func(g *ParamGroup, o *native.Settings) { o.Rho = g.Float("rho") },
}

// NewAdadelta makes an Adadelta over params. Its options are [LR], [Rho], [Eps],
// [WeightDecay], [Maximize] and [Foreach]. LR is 1
// and Eps 1e-6 by default. Follows torch.optim.Adadelta.
func NewAdadelta(params []*torch.Tensor, opts ...AdadeltaOption) *Adadelta {
	o := &Adadelta{build(&adadeltaRule, params, options(opts))}
	o.whole = o
	return o
}
