package optim

import (
	"math"

	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// An AdagradOption is an option of [NewAdagrad]: [LR], [LRDecay],
// [WeightDecay], [InitialAccumulatorValue], [Eps], [Maximize], [Foreach],
// [Fused].
//
//gotorch:options LR LRDecay WeightDecay InitialAccumulatorValue Eps Maximize Foreach Fused
type AdagradOption interface {
	Option
	adagradOption()
}

// Adagrad divides each gradient by the square root of the sum of all squared gradients so far.
// Gradients may be sparse.
type Adagrad struct{ stepper }

var adagradRule = rule{
	name: "Adagrad", states: []string{"step", "sum"},
	defaults: []Option{
		LR(1e-2),
		pyDefault{"lr_decay", pyInt(0)},
		Eps(1e-10),
		pyDefault{"weight_decay", pyInt(0)},
		pyDefault{"initial_accumulator_value", pyInt(0)},
		pyDefault{"foreach", nil},
		Maximize(false),
		unsupported("differentiable"),
		pyDefault{"fused", nil},
	},
	checkSettings: func(s settings) (arg, problem string) {
		if arg, problem = s.rangeProblem("lr_decay", 0, math.Inf(1)); problem == "" {
			arg, problem = s.rangeProblem("initial_accumulator_value", 0, math.Inf(1))
		}
		return arg, problem
	},
	fillSettings: func(g *ParamGroup, o *native.Settings) {
		o.LRDecay, o.Initial = g.number("lr_decay"), g.number("initial_accumulator_value")
	},
}

// NewAdagrad makes an Adagrad over params. Its options are [LR], [LRDecay],
// [WeightDecay], [InitialAccumulatorValue], [Eps], [Maximize], [Foreach] and [Fused].
// LR is 0.01 and Eps 1e-10 by default. As in Python, the constructor makes the state. Follows
// torch.optim.Adagrad.
func NewAdagrad(params []*torch.Tensor, opts ...AdagradOption) *Adagrad {
	o := &Adagrad{newStepper(&adagradRule, params, options(opts))}
	o.makeState()
	o.outer = o
	return o
}

// makeState makes the state of all parameters.
func (a *Adagrad) makeState() {
	for _, g := range a.groups {
		step := []torch.CreateOption{torch.DefaultDType()}
		for _, p := range g.Params {
			if g.flag("fused") {
				step = []torch.CreateOption{torch.Float32, p.Device()}
			}
			var initial any = g.Float("initial_accumulator_value")
			if v := g.Float("initial_accumulator_value"); p.DType().IsComplex() {
				initial = complex(v, v)
			}
			torch.NoGrad(func() {
				a.SetState(p, "step", torch.Zeros(torch.Shape{}, step...))
				a.SetState(p, "sum", torch.FullLike(p, initial))
			})
		}
	}
}
