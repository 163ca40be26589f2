package optim

import (
	"fmt"

	"github.com/gotorch/gotorch/cgotorch/abi"
	native "github.com/gotorch/gotorch/cgotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// AdamOptions are the settings of [Adam].
type AdamOptions struct {
	LR          float64    // 0: 1e-3
	Betas       [2]float64 // both 0: 0.9 and 0.999
	Eps         float64    // 0: 1e-8
	WeightDecay float64    // added to the gradient; 0: none
	Amsgrad     bool       // divide by the largest second moment so far
	Maximize    bool       // go up the gradient
}

// AdamWOptions are the settings of [AdamW].
type AdamWOptions struct {
	LR            float64    // 0: 1e-3
	Betas         [2]float64 // both 0: 0.9 and 0.999
	Eps           float64    // 0: 1e-8
	WeightDecay   float64    // 0: 0.01
	NoWeightDecay bool       // a weight decay of 0
	Amsgrad       bool       // divide by the largest second moment so far
	Maximize      bool       // go up the gradient
}

// Adam scales each parameter's step by running estimates of its gradient's
// mean and square.
type Adam struct{ base }

// AdamW is Adam with weight decay that acts on the parameters themselves
// rather than through the gradient.
type AdamW struct{ base }

// NewAdam makes an Adam over params. It panics with ErrValue for an empty list
// or settings out of range, and with ErrAutograd for a tensor that is no leaf.
// Follows torch.optim.Adam.
func NewAdam(params []*torch.Tensor, opts ...AdamOptions) *Adam {
	a := &Adam{base{name: "Adam", gstep: "Adam.Step(grad_scale, found_inf)", step: adamStep(false), state: adamState}}
	a.AddParamGroup(params, opts...)
	return a
}

// AddParamGroup adds parameters with settings of their own. Panics are those
// of NewAdam, and ErrValue for a parameter that another group has. Follows
// Optimizer.add_param_group.
func (a *Adam) AddParamGroup(params []*torch.Tensor, opts ...AdamOptions) {
	o := option("NewAdam", opts)
	a.addGroup(adamGroup("NewAdam", o), params)
}

// NewAdamW makes an AdamW over params. Panics are those of NewAdam. Follows
// torch.optim.AdamW.
func NewAdamW(params []*torch.Tensor, opts ...AdamWOptions) *AdamW {
	a := &AdamW{base{name: "AdamW", gstep: "AdamW.Step(grad_scale, found_inf)", step: adamStep(true), state: adamState}}
	a.AddParamGroup(params, opts...)
	return a
}

// AddParamGroup adds parameters with settings of their own, as for biases
// without weight decay. Panics are those of Adam's. Follows
// Optimizer.add_param_group.
func (a *AdamW) AddParamGroup(params []*torch.Tensor, opts ...AdamWOptions) {
	o := option("NewAdamW", opts)
	decay := o.WeightDecay
	if decay == 0 && !o.NoWeightDecay {
		decay = 0.01
	}
	a.addGroup(adamGroup("NewAdamW", AdamOptions{o.LR, o.Betas, o.Eps, decay, o.Amsgrad, o.Maximize}), params)
}

func adamGroup(op string, o AdamOptions) *ParamGroup {
	if o.LR == 0 {
		o.LR = 1e-3
	}
	if o.Betas == [2]float64{} {
		o.Betas = [2]float64{0.9, 0.999}
	}
	if o.Eps == 0 {
		o.Eps = 1e-8
	}
	for _, b := range o.Betas {
		if !(b >= 0 && b < 1) {
			panic(torch.NewError(op, torch.ErrValue, "Betas", fmt.Sprintf("expected numbers from 0 to below 1, got %v", o.Betas)))
		}
	}
	if !(o.Eps >= 0) {
		panic(torch.NewError(op, torch.ErrValue, "Eps", fmt.Sprintf("expected a number that is not negative, got %v", o.Eps)))
	}
	return &ParamGroup{
		LR: o.LR, WeightDecay: o.WeightDecay, Maximize: o.Maximize,
		Betas: o.Betas, Eps: o.Eps, Amsgrad: o.Amsgrad,
	}
}

type stepFunc = func(g *ParamGroup, cx abi.Ctx, scale, inf abi.Tensor) abi.Status

func adamStep(decoupled bool) stepFunc {
	return func(g *ParamGroup, cx abi.Ctx, scale, inf abi.Tensor) abi.Status {
		return g.handle.Adam(cx, &native.AdamOptions{
			LR: g.LR, Beta1: g.Betas[0], Beta2: g.Betas[1], Eps: g.Eps, WeightDecay: g.WeightDecay,
			Decoupled: decoupled, Amsgrad: g.Amsgrad, Maximize: g.Maximize,
		}, scale, inf)
	}
}

func option[T any](op string, opts []T) T {
	var none T
	switch len(opts) {
	case 0:
		return none
	case 1:
		return opts[0]
	}
	panic(torch.NewError(op, torch.ErrValue, "opts", fmt.Sprintf("expected at most one options struct, got %d", len(opts))))
}
