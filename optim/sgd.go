package optim

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// SGDOptions are the settings of [SGD].
type SGDOptions struct {
	LR          float64 // 0: 1e-3
	Momentum    float64 // 0: none
	Dampening   float64 // of the momentum
	WeightDecay float64 // added to the gradient; 0: none
	Nesterov    bool    // needs momentum and no dampening
	Maximize    bool    // go up the gradient
}

// SGD is stochastic gradient descent, with momentum if wanted.
type SGD struct{ base }

// NewSGD makes an SGD over params. It panics with ErrValue for an empty list
// or settings out of range, and with ErrAutograd for a tensor that is no leaf.
// Follows torch.optim.SGD.
func NewSGD(params []*torch.Tensor, opts ...SGDOptions) *SGD {
	s := &SGD{base{name: "SGD", gstep: "SGD.Step(grad_scale, found_inf)", step: sgdStep, state: sgdState}}
	s.AddParamGroup(params, opts...)
	return s
}

// AddParamGroup adds parameters with settings of their own. Panics are those
// of NewSGD, and ErrValue for a parameter that another group has. Follows
// Optimizer.add_param_group.
func (s *SGD) AddParamGroup(params []*torch.Tensor, opts ...SGDOptions) {
	const op = "NewSGD"
	o := option(op, opts)
	if o.LR == 0 {
		o.LR = 1e-3
	}
	if !(o.Momentum >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "Momentum", fmt.Sprintf("expected a number that is not negative, got %v", o.Momentum)))
	}
	if o.Nesterov && (o.Momentum == 0 || o.Dampening != 0) {
		panic(torch.NewError(op, torch.ErrValue, "Nesterov", "needs a momentum and no dampening"))
	}
	s.addGroup(&ParamGroup{
		LR: o.LR, WeightDecay: o.WeightDecay, Maximize: o.Maximize,
		Momentum: o.Momentum, Dampening: o.Dampening, Nesterov: o.Nesterov,
	}, params)
}

func sgdStep(g *ParamGroup, cx abi.Ctx, scale, inf abi.Tensor) abi.Status {
	return g.handle.SGD(cx, &native.SGDOptions{
		LR: g.LR, Momentum: g.Momentum, Dampening: g.Dampening, WeightDecay: g.WeightDecay,
		Nesterov: g.Nesterov, Maximize: g.Maximize,
	}, scale, inf)
}
