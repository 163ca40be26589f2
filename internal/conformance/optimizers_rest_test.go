package conformance_test

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

var _ = optimizers(map[string]optimizerBuilder{
	"Adadelta": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewAdadelta(ps, learningRate(a,
			common[optim.AdadeltaOption](a, optim.WeightDecay(0), optim.Rho(0)))...)
	},
	"Adafactor": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		opts := learningRate(a, options[optim.AdafactorOption](a, optim.Beta2Decay(0), optim.WeightDecay(0),
			optim.Maximize(false), optim.Foreach(false)))
		opts = option(a, opts, "d", optim.D(0))
		opts = option(a, opts, "beta2_decay", optim.Beta2Decay(0))
		if eps, ok := a.Any("eps").([]any); ok {
			opts = append(opts, optim.EpsPair(eps[0], number(eps[1])))
		}
		return optim.NewAdafactor(ps, opts...)
	},
	"Adagrad": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		opts := learningRate(a, common[optim.AdagradOption](a, optim.WeightDecay(0), optim.InitialAccumulatorValue(0),
			optim.Fused(false)))
		return optim.NewAdagrad(ps, option(a, opts, "lr_decay", optim.LRDecay(0))...)
	},
	"Adamax": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewAdamax(ps, learningRate(a, common[optim.AdamaxOption](a, optim.WeightDecay(0)))...)
	},
	"ASGD": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		opts := learningRate(a, common[optim.ASGDOption](a, optim.WeightDecay(0), optim.Lambd(0), optim.Alpha(0)))
		o := optim.NewASGD(ps, option(a, opts, "t0", optim.T0(0))...)
		if n, ok := a.Any("t0").(int64); ok { // Python keeps an int and prints it without a fraction
			o.ParamGroups()[0].Set(setting{"t0", n})
		}
		return o
	},
	"LBFGS": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		numberLR(a)
		return optim.NewLBFGS(ps, learningRate(a, options[optim.LBFGSOption](a, optim.MaxIter(0), optim.MaxEval(0),
			optim.ToleranceGrad(0),
			optim.ToleranceChange(0), optim.HistorySize(0), optim.LineSearchFn("")))...)
	},
	"Muon": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		numberLR(a)
		opts := learningRate(a, options[optim.MuonOption](a, optim.WeightDecay(0), optim.Momentum(0),
			optim.Nesterov(false), optim.Eps(0)))
		opts = option(a, opts, "ns_steps", optim.NSSteps(0))
		opts = option(a, opts, "adjust_lr_fn", optim.AdjustLRFn(""))
		if a.Has("ns_coefficients") {
			ns := a.Floats("ns_coefficients")
			opts = append(opts, optim.NSCoefficients(ns[0], ns[1], ns[2]))
		}
		return optim.NewMuon(ps, opts...)
	},
	"NAdam": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewNAdam(ps, learningRate(a, common[optim.NAdamOption](a, optim.WeightDecay(0),
			optim.MomentumDecay(0), optim.DecoupledWeightDecay(false)))...)
	},
	"RAdam": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewRAdam(ps, learningRate(a, common[optim.RAdamOption](a, optim.WeightDecay(0),
			optim.DecoupledWeightDecay(false)))...)
	},
	"RMSprop": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		return optim.NewRMSprop(ps, learningRate(a,
			common[optim.RMSpropOption](a, optim.WeightDecay(0), optim.Momentum(0), optim.Alpha(0),
				optim.Centered(false)))...)
	},
	"Rprop": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		opts := learningRate(a, common[optim.RpropOption](a))
		if a.Has("etas") {
			e := a.Floats("etas")
			opts = append(opts, optim.Etas(e[0], e[1]))
		}
		if a.Has("step_sizes") {
			e := a.Floats("step_sizes")
			opts = append(opts, optim.StepSizes(e[0], e[1]))
		}
		return optim.NewRprop(ps, opts...)
	},
	"SparseAdam": func(a *args, ps []*torch.Tensor) optim.Optimizer {
		numberLR(a)
		return optim.NewSparseAdam(ps, learningRate(a,
			options[optim.SparseAdamOption](a, optim.Eps(0), optim.Maximize(false)))...)
	},
})

// numberLR skips samples whose learning rate is a tensor. It is for optimizers in which
// Python multiplies by this tensor and thereby rounds the rate to the tensor's dtype.
// Other optimizers read the tensor as a number.
func numberLR(a *args) {
	if _, ok := a.Any("lr").(*torch.Tensor); ok {
		a.Skip("a learning rate that is a tensor is not offered: it is a number")
	}
}

type setting struct {
	name  string
	value any
}

func (s setting) Setting() (string, any) { return s.name, s.value }

// common returns the options in more, and those of the Eps, Maximize and Foreach options
// that the optimizer has.
func common[O any](a *args, more ...any) []O {
	opts := options[O](a, more...)
	for _, o := range []any{optim.Eps(0), optim.Maximize(false), optim.Foreach(false)} {
		if _, ok := o.(O); ok {
			opts = append(opts, options[O](a, o)...)
		}
	}
	return opts
}

var _ = steppers(map[string]closureStep{
	"LBFGS": func(o optim.Optimizer, loss func() *torch.Tensor) *torch.Tensor {
		return o.(*optim.LBFGS).StepClosure(loss)
	},
})
