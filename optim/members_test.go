package optim_test

import (
	"github.com/gotorch/gotorch/optim"
	"github.com/gotorch/gotorch/torch"
)

// making returns a member whose constructor takes the options of one optimizer.
func making[O optim.Option, P optim.Optimizer](name string, fresh func([]*torch.Tensor, ...O) P, zeros []optim.Option,
	foreign optim.Option, code string, always ...O,
) member {
	build := func(ps []*torch.Tensor, opts []optim.Option) optim.Optimizer { return fresh(ps, as[O](opts)...) }
	return member{
		name: name, build: build, zeros: zeros, foreign: foreign, code: code,
		takes: func(o optim.Option) bool {
			_, ok := o.(O)
			return ok
		},
		fresh: func(ps []*torch.Tensor, opts ...optim.Option) optim.Optimizer {
			return fresh(ps, append(append([]O{}, always...), as[O](opts)...)...)
		},
	}
}

func opts(all ...optim.Option) []optim.Option { return all }

// members are all optimizers, by the name of their constructor.
var members = map[string]member{
	"NewSGD": making("SGD", optim.NewSGD, opts(optim.LR(0), optim.Momentum(0)),
		optim.Eps(1), "optim.NewSGD(ps, optim.Eps(1))", optim.SGDOption(optim.Momentum(0.9))),
	"NewAdam": making("Adam", optim.NewAdam, opts(optim.LR(0), optim.Betas(0, 0), optim.Eps(0)),
		optim.Momentum(1), "optim.NewAdam(ps, optim.Momentum(1))"),
	"NewAdamW": making("AdamW", optim.NewAdamW,
		opts(optim.LR(0), optim.Betas(0, 0), optim.Eps(0), optim.WeightDecay(0)),
		optim.DecoupledWeightDecay(true), "optim.NewAdamW(ps, optim.DecoupledWeightDecay(true))"),
	"NewRMSprop": making("RMSprop", optim.NewRMSprop,
		opts(optim.LR(0), optim.Alpha(0), optim.Eps(0), optim.Momentum(0)),
		optim.Rho(1), "optim.NewRMSprop(ps, optim.Rho(1))"),
	"NewAdagrad": making("Adagrad", optim.NewAdagrad,
		opts(optim.LR(0), optim.Eps(0), optim.LRDecay(0), optim.InitialAccumulatorValue(0)),
		optim.Alpha(1), "optim.NewAdagrad(ps, optim.Alpha(1))"),
	"NewAdadelta": making("Adadelta", optim.NewAdadelta, opts(optim.LR(0), optim.Rho(0), optim.Eps(0)),
		optim.Fused(true), "optim.NewAdadelta(ps, optim.Fused(true))"),
	"NewAdamax": making("Adamax", optim.NewAdamax, opts(optim.LR(0), optim.Betas(0, 0), optim.Eps(0)),
		optim.AMSGrad(true), "optim.NewAdamax(ps, optim.AMSGrad(true))"),
	"NewNAdam": making("NAdam", optim.NewNAdam,
		opts(optim.LR(0), optim.Betas(0, 0), optim.Eps(0), optim.MomentumDecay(0)),
		optim.AMSGrad(true), "optim.NewNAdam(ps, optim.AMSGrad(true))"),
	"NewRAdam": making("RAdam", optim.NewRAdam, opts(optim.LR(0), optim.Betas(0, 0), optim.Eps(0)),
		optim.MomentumDecay(1), "optim.NewRAdam(ps, optim.MomentumDecay(1))"),
	"NewRprop": making("Rprop", optim.NewRprop, opts(optim.LR(0), optim.StepSizes(0, 0)),
		optim.Eps(1), "optim.NewRprop(ps, optim.WeightDecay(1))"),
	"NewASGD": making("ASGD", optim.NewASGD, opts(optim.LR(0), optim.Lambd(0), optim.Alpha(0), optim.T0(0)),
		optim.Eps(1), "optim.NewASGD(ps, optim.Eps(1))"),
	"NewSparseAdam": making("SparseAdam", optim.NewSparseAdam, opts(optim.Betas(0, 0)),
		optim.WeightDecay(1), "optim.NewSparseAdam(ps, optim.WeightDecay(1))"),
	"NewAdafactor": making("Adafactor", optim.NewAdafactor,
		opts(optim.LR(0), optim.Beta2Decay(0), optim.WeightDecay(0)),
		optim.Betas(0, 0), "optim.NewAdafactor(ps, optim.Eps(1))"),
	"NewLBFGS": making("LBFGS", optim.NewLBFGS, opts(optim.LR(0), optim.ToleranceGrad(0), optim.ToleranceChange(0)),
		optim.Eps(1), "optim.NewLBFGS(ps, optim.WeightDecay(1))"),
	"NewLion": { // Lion is an optimizer as a program would define it
		name:  "Lion",
		fresh: func(ps []*torch.Tensor, opts ...optim.Option) optim.Optimizer { return NewLion(ps, opts...) },
		zeros: opts(optim.LR(0), optim.Betas(0, 0)), foreign: optim.Fused(true),
		code: "optim.NewAdam(ps, optim.InitialLR(1))",
	},
}
