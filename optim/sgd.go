package optim

import (
	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SGD is stochastic gradient descent, with optional momentum.
type SGD struct{ *Base }

var sgdStates = []string{"momentum_buffer"}

// NewSGD makes an SGD over params. Its options are [LR], [Momentum],
// [Dampening], [WeightDecay], [Nesterov], [Maximize], [Foreach] and [Fused]. It
// panics with ErrValue for an empty list or settings out of range, and with
// ErrAutograd for a tensor that is not a leaf. Follows torch.optim.SGD.
func NewSGD(params []*torch.Tensor, opts ...SGDOption) *SGD {
	b := &Base{name: "SGD", states: sgdStates, check: checkSGD}
	b.init(params, []Option{
		LR(1e-3),
		fixed{"momentum", whole(0)},
		fixed{"dampening", whole(0)},
		fixed{"weight_decay", whole(0)},
		Nesterov(false), Maximize(false),
		fixed{"foreach", nil},
		fixed{"differentiable", false},
		fixed{"fused", nil},
	}, options(opts))
	return &SGD{b}
}

func checkSGD(s settings) (arg, problem string) {
	if s.find("nesterov").v == true && (s.find("momentum").num[0] == 0 || s.find("dampening").num[0] != 0) {
		return "nesterov", "needs a momentum and no dampening"
	}
	if s.find("differentiable").v == true {
		return "differentiable", "cannot be had here"
	}
	return checkImplementation(s)
}

func sgdStep(op string, g *ParamGroup) (torch.Raw, abi.Status) {
	o := native.SGDOptions{
		LR: g.LR(), Momentum: g.Momentum(), Dampening: g.Dampening(), WeightDecay: g.WeightDecay(),
		Nesterov: g.Nesterov(), Maximize: g.Maximize(),
	}
	r := torch.BeginRaw(op, g.used...)
	return r, native.SGD(r.Ctx, &g.native, &o, &g.how)
}

// Step changes every parameter that has a gradient. It panics as [Adam.Step]
// does, except that a sparse gradient is refused with ErrRuntime only if Fused
// or WeightDecay is set.
func (s *SGD) Step() { s.StepScaled(nil, nil) }

// StepScaled is Step for scaled gradients. It panics as Step does, and for scale and
// foundInf as [Adam.StepScaled] does, which says more.
func (s *SGD) StepScaled(scale, foundInf *torch.Tensor) {
	s.stepNative("SGD.Step", scale, foundInf, sgdStep)
}
