package optim

import (
	"fmt"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An RpropOption is an option of [NewRprop]: [LR], [Etas], [StepSizes],
// [Maximize], [Foreach].
//
//gotorch:options LR EtaPair StepSizePair Maximize Foreach
type RpropOption interface {
	Option
	rpropOption()
}

// Rprop uses only the signs of gradients. Each element has its own step size, which grows while the
// sign stays the same and shrinks when it changes.
type Rprop struct{ stepper }

var rpropRule = rule{
	name: "Rprop", states: []string{"step", "prev", "step_size"},
	defaults: []Option{
		LR(1e-2), Etas(0.5, 1.2),
		pyDefault{"step_sizes", pyIntPair{1e-6, 50}},
		pyDefault{"foreach", nil},
		Maximize(false),
		unsupported("differentiable"),
		unsupported("capturable"),
	},
	checkSettings: func(s settings) (arg, problem string) {
		if e := s.find("etas").num; !(0 < e[0] && e[0] < 1 && 1 < e[1]) {
			return "etas",
				fmt.Sprintf("expected a number between 0 and 1 and a number above 1, got %v and %v",
					e[0], e[1])
		}
		return "", ""
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.Initial = g.number("lr")
		o.Beta1, o.Beta2 = g.pair("etas")
		o.Least, o.Most = g.pair("step_sizes")
	},
}

// NewRprop makes an Rprop over params. Its options are [LR], [Etas], [StepSizes],
// [Maximize] and [Foreach]. LR, the first step size,
// is 0.01 by default. Follows torch.optim.Rprop.
func NewRprop(params []*torch.Tensor, opts ...RpropOption) *Rprop {
	o := &Rprop{newStepper(&rpropRule, params, options(opts))}
	o.outer = o
	return o
}
