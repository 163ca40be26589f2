package conformance_test

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// learningRate appends the LR option. A learning rate that is a tensor in Python becomes
// a number.
func learningRate[O any](a *args, opts []O) []O {
	if t, ok := a.Any("lr").(*torch.Tensor); ok {
		return append(opts, any(optim.LR(t.Item())).(O))
	}
	return append(opts, options[O](a, optim.LR(0))...)
}

var _ = optimizers(map[string]optimizerBuilder{
	"SGD": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewSGD(ps, learningRate(a, options[optim.SGDOption](a, optim.Momentum(0), optim.Dampening(0),
			optim.WeightDecay(0),
			optim.Nesterov(false), optim.Maximize(false), optim.Foreach(false), optim.Fused(false)))...)
	},
	"Adam": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewAdam(ps, adam[optim.AdamOption](a)...)
	},
	"AdamW": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewAdamW(ps, adam[optim.AdamWOption](a)...)
	},
})

func adam[O any](a *args) []O {
	return learningRate(a, options[O](a, optim.WeightDecay(0), optim.AMSGrad(false),
		optim.Maximize(false), optim.Foreach(false), optim.Fused(false)))
}
