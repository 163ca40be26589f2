package optim

import (
	"fmt"
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An AdafactorOption is an option of [NewAdafactor]: [LR], [Beta2Decay],
// [EpsPair], [D], [WeightDecay], [Maximize], [Foreach].
//
//gotorch:options LR Beta2Decay EpsTuple D WeightDecay Maximize Foreach
type AdafactorOption interface {
	Option
	adafactorOption()
}

// Adafactor is like Adam, but for a matrix it stores two vectors instead of a running
// mean of squares for each element.
type Adafactor struct{ stepper }

var adafactorRule = rule{
	name: "Adafactor", states: []string{"step", "row_var", "col_var", "variance"},
	defaults: []Option{
		LR(1e-2), Beta2Decay(-0.8), EpsPair(nil, 1e-3), D(1), WeightDecay(0),
		pyDefault{"foreach", nil},
		Maximize(false),
	},
	checkSettings: checkAdafactor,
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		eps := g.settings.find("eps").v.([2]any)
		o.Eps1, o.Eps = math.NaN(), eps[1].(float64)
		if v, ok := eps[0].(float64); ok {
			o.Eps1 = v
		}
		o.Beta2Decay, o.D = g.number("beta2_decay"), g.number("d")
	},
}

// adafactorShape returns the shape of a parameter's state tensor with the given name. For
// a matrix, row_var has size 1 in the last dimension, and col_var in the second to last.
func adafactorShape(p *torch.Tensor, name string) torch.Shape {
	shape := p.Shape()
	switch {
	case len(shape) < 2 || name == "variance":
	case name == "row_var":
		shape[len(shape)-1] = 1
	case name == "col_var":
		shape[len(shape)-2] = 1
	}
	return shape
}

func checkAdafactor(s settings) (arg, problem string) {
	eps, ok := s.find("eps").v.([2]any)
	if !ok {
		return "eps", "expected two numbers, of which the first may be nil"
	}
	for i, v := range eps {
		if f, number := v.(float64); number && !(f >= 0) || !number && i == 1 {
			return "eps", fmt.Sprintf("expected numbers that are not negative, of which the first may be nil, got %v",
				pyRepr(eps))
		}
	}
	if arg, problem = s.rangeProblem("beta2_decay", math.Inf(-1), 0); problem == "" {
		arg, problem = s.rangeProblem("d", 1, math.Inf(1))
	}
	return arg, problem
}

// NewAdafactor makes an Adafactor over params. Its options are [LR], [Beta2Decay],
// [EpsPair], [D], [WeightDecay], [Maximize] and [Foreach]. LR is 0.01 by default.
// Foreach is false by default; setting it changes the last bits of the results. Parameters must be
// real. Follows torch.optim.Adafactor.
func NewAdafactor(params []*torch.Tensor, opts ...AdafactorOption) *Adafactor {
	o := &Adafactor{newStepper(&adafactorRule, params, options(opts))}
	o.outer = o
	return o
}
